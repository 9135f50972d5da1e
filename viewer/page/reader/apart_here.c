// SPDX-License-Identifier: GPL-2.0-only
/*
 * In place of apart.c, where there are no processes: what the function says when it ends the program is the answer, and
 * the program goes on. What it had allocated is lost; when that is much, the program ends, and the page begins a new one.
 */
#include <emscripten.h>
#include <emscripten/heap.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "apart.h"

static jmp_buf end;
static bool is_apart;

/* The linker calls this instead of exit(). */
noreturn void __real_exit(int status);
noreturn void __wrap_exit(int status);

noreturn void __wrap_exit(int status)
{
	if (is_apart && emscripten_get_heap_size() < emscripten_get_heap_max() / 2)
		longjmp(end, 1);
	__real_exit(status);
}

/* The last line that was said, see worker.js. */
EM_JS(char *, take_message, (void), {
	return allocateUTF8(Module.said.pop() || "no memory");
})

/* A text that grows. */
static ssize_t add_text(void *cookie, const char *from, size_t n)
{
	struct text *text = cookie;
	char *more;

	/* the function has ended the program: what is left in the stream is lost with all else */
	if (!is_apart)
		return (ssize_t)n;
	more = realloc(text->buf, text->len + n + 1);
	/* open_memstream() of this C library loses what it has no memory for, without an error */
	if (!more)
		die("no memory for what is read");
	memcpy(more + text->len, from, n);
	text->buf = more;
	text->len += n;
	text->buf[text->len] = '\0';
	return (ssize_t)n;
}

/* run_apart() - run a function that may end the program, with the arguments that it has in apart.c. */
char *run_apart(apart_fn fn, const void *arg, struct text *result)
{
	FILE *volatile out;

	*result = (struct text){ .buf = xcalloc(1, 1) };
	out = fopencookie(result, "w", (cookie_io_functions_t){ .write = add_text });
	if (!out)
		return xasprintf("no memory for what is read");
	is_apart = true;
	if (!setjmp(end)) {
		fn(arg, out);
		fclose(out);
		is_apart = false;
		return NULL;
	}
	is_apart = false;
	fclose(out);
	text_free(result);
	return take_message();
}
