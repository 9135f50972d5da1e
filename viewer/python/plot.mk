# SPDX-License-Identifier: GPL-2.0-only
# fragtrace-plot: check, install, uninstall, clean. It has no build step; PYTHON is for the tests.

PLOT = fragtrace-plot
PLOTDIR = $(PRESETDIR)/python
PYTHON = /usr/bin/python3

check: check-plot

check-plot: $(NAME) $(SANNAME) build/formats
	PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -m pytest -q -p no:cacheprovider --ktap tests/test_odd.py tests/test_fragsnap.py tests/test_fragplot_model.py tests/test_fragplot.py tests/test_fragplot_drawn.py tests/test_fragplot_heat.py tests/test_fragplot_program.py tests/test_recording.py tests/test_samples.py
	VIEW=$(SANNAME) PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -m pytest -q -p no:cacheprovider --ktap tests/test_moves.py tests/test_what_if.py

install: install-plot

install-plot:
	mkdir -p "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(MANPREFIX)/man1" "$(DESTDIR)$(PLOTDIR)/fragplot"
	sed 's|^VERSION = .*|VERSION = "$(VERSION)"|' python/$(PLOT) >"$(DESTDIR)$(PREFIX)/bin/$(PLOT)"
	chmod 755 "$(DESTDIR)$(PREFIX)/bin/$(PLOT)"
	sed 's|/usr/local/share/fragtrace|$(PRESETDIR)|' man/$(PLOT).1 >"$(DESTDIR)$(MANPREFIX)/man1/$(PLOT).1"
	cp -f python/fragsnap.py "$(DESTDIR)$(PLOTDIR)/"
	cp -f python/fragplot/*.py "$(DESTDIR)$(PLOTDIR)/fragplot/"
	chmod 644 "$(DESTDIR)$(MANPREFIX)/man1/$(PLOT).1" "$(DESTDIR)$(PLOTDIR)/fragsnap.py" \
		"$(DESTDIR)$(PLOTDIR)/fragplot/"*.py

uninstall: uninstall-plot

uninstall-plot:
	rm -f "$(DESTDIR)$(PREFIX)/bin/$(PLOT)" "$(DESTDIR)$(MANPREFIX)/man1/$(PLOT).1"
	rm -rf "$(DESTDIR)$(PLOTDIR)"

clean: clean-plot

clean-plot:
	rm -rf python/__pycache__ python/fragplot/__pycache__ tests/__pycache__

.PHONY: check-plot install-plot uninstall-plot clean-plot
