# SPDX-License-Identifier: GPL-2.0-only
# fragtrace-plot: check, install, uninstall, clean. It needs no building; PYTHON is for the tests.

PLOT = fragtrace-plot
PLOTDIR = $(PRESETDIR)/python
PYTHON = /usr/bin/python3

check: check-plot

check-plot: $(NAME)
	PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -m pytest -q -p no:cacheprovider --ktap test_fragsnap.py test_fragplot.py

install: install-plot

install-plot:
	mkdir -p "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(MANPREFIX)/man1" "$(DESTDIR)$(PLOTDIR)/fragplot"
	sed 's|^VERSION = .*|VERSION = "$(VERSION)"|' $(PLOT) >"$(DESTDIR)$(PREFIX)/bin/$(PLOT)"
	chmod 755 "$(DESTDIR)$(PREFIX)/bin/$(PLOT)"
	cp -f $(PLOT).1 "$(DESTDIR)$(MANPREFIX)/man1/"
	cp -f fragsnap.py "$(DESTDIR)$(PLOTDIR)/"
	cp -f fragplot/*.py "$(DESTDIR)$(PLOTDIR)/fragplot/"
	chmod 644 "$(DESTDIR)$(MANPREFIX)/man1/$(PLOT).1" "$(DESTDIR)$(PLOTDIR)/fragsnap.py" \
		"$(DESTDIR)$(PLOTDIR)/fragplot/"*.py

uninstall: uninstall-plot

uninstall-plot:
	rm -f "$(DESTDIR)$(PREFIX)/bin/$(PLOT)" "$(DESTDIR)$(MANPREFIX)/man1/$(PLOT).1"
	rm -rf "$(DESTDIR)$(PLOTDIR)"

clean: clean-plot

clean-plot:
	rm -rf __pycache__ fragplot/__pycache__

.PHONY: check-plot install-plot uninstall-plot clean-plot
