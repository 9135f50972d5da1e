# SPDX-License-Identifier: GPL-2.0-only
# Bash completion for fragtrace-view and fragtrace-plot: their options, as --help lists them, and files.

_fragtrace()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}

	case $previous in
	--layout) mapfile -t COMPREPLY < <(compgen -W "boxes segments hilbert" -- "$current") ;;
	--color-by) mapfile -t COMPREPLY < <(compgen -W "kind size cause why process age file=" -- "$current") ;;
	-c | --colors | -i | --image)
		mapfile -t COMPREPLY < <(compgen -f -W "rocksdb redis voltdb" -- "$current")
		;;
	*)
		case $current in
		-*) mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null | grep -oE '(^|[ ,])--?[a-z][a-z0-9-]*')" -- "$current") ;;
		*) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
		esac
		;;
	esac
}
complete -o filenames -F _fragtrace fragtrace-view fragtrace-plot
