# SPDX-License-Identifier: GPL-2.0-only
# The Python half: check. It needs no building; PYTHON is for the tests.

PYTHON = /usr/bin/python3

check: check-plot

check-plot:
	PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -m pytest -q -p no:cacheprovider --ktap test_fragsnap.py

.PHONY: check-plot
