// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beside the pipeline: the page. Its HTML, its styles and its script are the same everywhere; between them is the first answer
 * of serve_view.c, so that it needs not to be asked for, and what else the page needs if there is no server.
 *
 * Names of files appear in JSON strings only, without <, which the script shows as text, never as HTML.
 */

#include "output/html.h"
#include "page.h"

static void put_lines(FILE *file, const char *const *lines)
{
	for (; *lines; lines++)
		fputs(*lines, file);
}

/* No page may load anything from elsewhere, nor run a script that is not its own. */
static const char *const policies[] = {
	[HTML_SERVED] = "img-src data: blob:; connect-src 'self'",
	[HTML_READER] = "img-src data: blob:; worker-src blob:",
};

/**
 * html_put() - write a page
 * @file: output
 * @html: what is in it
 */
void html_put(FILE *file, const struct html *html)
{
	struct json json = { .file = file };
	const char *const *line;

	for (line = page_html; *line; line++) {
		if (!strcmp(*line, "@policy@\n"))
			fprintf(file, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
				"style-src 'sha256-" PAGE_CSS_SHA256 "'; script-src 'sha256-" PAGE_JS_SHA256 "'%s; %s\">\n",
				html->kind == HTML_READER ? " 'wasm-unsafe-eval'" : "", policies[html->kind]);
		else if (!strcmp(*line, "@page.css@\n"))
			put_lines(file, page_css);
		else if (!strcmp(*line, "@page.js@\n"))
			put_lines(file, page_js);
		else if (!strcmp(*line, "@data@\n"))
			html->put(&json, html->arg);
		else if (strcmp(*line, "@more@\n"))
			fputs(*line, file);
		else if (html->put_more)
			html->put_more(file, html->arg);
	}
}
