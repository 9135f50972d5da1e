# SPDX-License-Identifier: GPL-2.0-only
# Bash completion for fragtrace and its other names, from its own tables; and for fragtrace-plot, as its --help lists options.

# _fragtrace_offer(words) - complete to one of these words; FILES stands for files and folders
_fragtrace_offer()
{
	local files=()

	case $'\n'$1$'\n' in
	*$'\nFILES\n'*)
		compopt -o filenames
		files=(-f)
		;;
	esac
	case $1 in
	*[\>=]) compopt -o nospace ;;
	esac
	mapfile -t COMPREPLY < <(compgen "${files[@]}" -W "${1//FILES/}" -- "${COMP_WORDS[COMP_CWORD]}")
}

# _fragtrace_plot(program, words...) - the words after `fragtrace plot`; the last one is completed
_fragtrace_plot()
{
	local program=$1 current=${*: -1} previous=${*: -2:1} command=$2

	case $# in 2) command= ;; esac
	case $previous in
	--color-by) _fragtrace_offer $'kind\nheat' ;;
	--at) _fragtrace_offer $'start\nend' ;;
	-c) _fragtrace_offer $'rocksdb\nredis\nvoltdb\nFILES' ;;
	--dpi | --top | --request | --title | --frames | --seconds | --max-size) ;;
	*)
		case $current in
		-*) _fragtrace_offer "$("$program" ${command:+"$command"} --help 2>/dev/null | grep -oE '(^|[ ,[])--?[a-z][a-z0-9-]*' | tr -d ' ,[' | sort -u)" ;;
		*) _fragtrace_offer "${command:-$'history\ncompare\ndistribution\nspace\nanimate'}${command:+$'\nFILES'}" ;;
		esac
		;;
	esac
}

_fragtrace()
{
	local words=("${COMP_WORDS[@]:1:COMP_CWORD}") program=$1

	case ${1##*/} in
	fragtrace-plot)
		_fragtrace_plot "$1" "${words[@]}"
		return
		;;
	fragtrace-*) words=("${1##*-}" "${words[@]}") ;;
	esac
	if [ "${words[0]}" = plot ] && [ ${#words[@]} -gt 1 ]; then
		program=${1%fragtrace}fragtrace-plot
		command -v "$program" >/dev/null || program=fragtrace-plot
		_fragtrace_plot "$program" "${words[@]:1}"
	else
		_fragtrace_offer "$("$program" --complete "${words[@]}" 2>/dev/null)"
	fi
}
complete -F _fragtrace fragtrace fragtrace-view fragtrace-defrag fragtrace-plot
