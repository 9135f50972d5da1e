# SPDX-License-Identifier: GPL-2.0-only
# Bash completion for fragtrace-view and fragtrace-plot: their options, as --help lists them, their values, and files.

# _fragtrace_words(words) - complete to one of these words
_fragtrace_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}")
}

# _fragtrace_files() - complete to a file or folder
_fragtrace_files()
{
	compopt -o filenames
	mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
}

# _fragtrace_command() - print the command of fragtrace-plot that was typed
_fragtrace_command()
{
	local word

	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case $word in
		history | compare | distribution | space | animate) echo "$word"; return ;;
		esac
	done
}

_fragtrace()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=

	[ "${1##*/}" != fragtrace-plot ] || command=$(_fragtrace_command)
	case $previous in
	--layout) _fragtrace_words "boxes segments hilbert"; return ;;
	--theme) _fragtrace_words "light dark"; return ;;
	--color-by)
		[ "${1##*/}" = fragtrace-view ] || { _fragtrace_words "kind heat"; return; }
		_fragtrace_words "kind severity worst size cause why process age heat file="
		return
		;;
	--list) _fragtrace_words "table extents files"; return ;;
	--at) _fragtrace_words "start end"; return ;;
	--fail-if)
		_fragtrace_words "split> fragmented> breaks> extents> stale> left_out> stopped>"
		compopt -o nospace
		return
		;;
	-c | --colors | -i | --image)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -W "rocksdb redis voltdb" -- "$current")
		return
		;;
	-n | --interval | --count | --keep | --cell | --dpi | --section | --max-input | --filter | --lba | --block | --only | --top | --request | --title | --volume | --frames | --seconds | --max-size)
		# a number or a text, except for --top of fragtrace-view, which has no value
		[ "$previous ${1##*/}" = "--top fragtrace-view" ] || return
		;;
	esac
	case $current in
	-*) _fragtrace_words "$("$1" ${command:+"$command"} --help 2>/dev/null | grep -oE '(^|[ ,[])--?[a-z][a-z0-9-]*' | tr -d ' ,[' | sort -u)" ;;
	*)
		if [ "${1##*/}" = fragtrace-plot ] && [ -z "$command" ]; then
			_fragtrace_words "history compare distribution space animate"
		else
			_fragtrace_files
		fi
		;;
	esac
}
complete -F _fragtrace fragtrace-view fragtrace-plot
