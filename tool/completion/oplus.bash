# Completion of oplus for bash.  Commands and options are asked of the command itself, so that they are never out of date.

_oplus() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} choices= files=
    # The shell takes "opencl:1" for three words, and the last of them is completed.
    local device=
    if [[ $word == : ]]; then
        device=$before: word= before=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $before == : ]] && ((COMP_CWORD > 3)); then
        device=${COMP_WORDS[COMP_CWORD - 2]}: before=${COMP_WORDS[COMP_CWORD - 3]}
    fi
    COMPREPLY=()
    if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $command == help ]]; }; then
        choices="help $("${COMP_WORDS[0]}" help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')"
    else
        case $before in
            -t | --type | --result | --values-type) choices="i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c64 c128" ;;
            --format | --to) choices="npy raw text csv tsv" ;;
            --delimiter) choices="comma tab semicolon space pipe" ;;
            --device)
                choices=$({
                    printf '%s\n' auto serial threads threads:2 gpu cuda opencl opencl:gpu opencl:cpu
                    "${COMP_WORDS[0]}" devices 2>/dev/null | sed -n 's/^\([a-z]*:[0-9]*\) .*/\1/p'
                } | sed -n "s/^$device//p")
                ;;
            --neighbours) choices="nearest wrap mirror" ;;
            --threads | --init | --by | --bits | --members | --identity | --map | --then | --rows | --cols | --axis | --column | --into | --empty | --bins | --range | --start | --step) return ;;
            -o | --output | --heads | --mask | --both | --counts | --offsets | --lengths | --values | --values-out | --keys | --keys-out | --edges) files=1 ;;
            *)
                if [[ $word == -* ]]; then
                    choices=$("${COMP_WORDS[0]}" help "$command" 2>/dev/null |
                        sed -n 's/^  *\(-[a-z], *\)\{0,1\}\(--[a-z-]*\).*/\2/p')
                elif ((COMP_CWORD == 2)); then
                    case $command in
                        reduce) choices="sum prod min max and or xor land lor argmin argmax minmax count mean var std pvar pstd" ;;
                        fold | scan | window | segscan | segreduce | group | check)
                            choices="sum prod min max and or xor land lor" ;;
                        map) choices="copy neg abs square sign sqrt floor ceil trunc round not real imag conj
                            add sub mul div min max" ;;
                        cache) choices=clear ;;
                        iota) return ;;
                        nth) choices="0% 25% 50% 75% 100%" ;;
                        lab) choices="all $("${COMP_WORDS[0]}" lab 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p')" ;;
                        filter) choices="zero nonzero positive negative even odd finite inf nan" ;;
                        *) files=1 ;;
                    esac
                else
                    files=1
                fi
                ;;
        esac
    fi
    if [[ $files ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
    fi
}
complete -F _oplus oplus
