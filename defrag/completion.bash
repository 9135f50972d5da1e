# SPDX-License-Identifier: GPL-2.0-only
# Bash completion for fragtrace-defrag: its options, as --help lists them, and files.

_fragtrace_defrag()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}

	case $previous in
	--like) COMPREPLY=(fragpicker) ;;
	--reader) mapfile -t COMPREPLY < <(compgen -W "direct buffered" -- "$current") ;;
	--way) mapfile -t COMPREPLY < <(compgen -W "ioctl mapping" -- "$current") ;;
	*)
		case $current in
		-*) mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null | grep -oE '(^|[ ,])--?[a-z][a-z-]*')" -- "$current") ;;
		*) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
		esac
		;;
	esac
}
complete -o filenames -F _fragtrace_defrag fragtrace-defrag
