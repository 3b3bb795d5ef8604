#compdef oplus
# Completion of oplus for zsh.  Commands and options are asked of the command itself.

_oplus() {
    local -a choices
    if ((CURRENT == 2)) || { ((CURRENT == 3)) && [[ $words[2] == help ]]; }; then
        choices=(help ${(f)"$($words[1] help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')"})
        compadd -a choices
        return
    fi
    case $words[CURRENT-1] in
        -t|--type|--result|--values-type) compadd i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c64 c128; return ;;
        --format|--to) compadd npy raw text csv tsv; return ;;
        --delimiter) compadd comma tab semicolon space pipe; return ;;
        --device) compadd auto serial threads threads:2 gpu cuda opencl opencl:gpu opencl:cpu \
                ${(f)"$($words[1] devices 2>/dev/null | sed -n 's/^\([a-z]*:[0-9]*\) .*/\1/p')"}
            return ;;
    esac
    if [[ $words[CURRENT] == -* ]]; then
        choices=(${(f)"$($words[1] help $words[2] 2>/dev/null | sed -n 's/^  *\(-[a-z], *\)\{0,1\}\(--[a-z-]*\).*/\2/p')"})
        compadd -a choices
        return
    fi
    if ((CURRENT == 3)); then
        case $words[2] in
            reduce) compadd sum prod min max and or xor land lor argmin argmax minmax count mean var std pvar pstd ;;
            fold|scan|window|segscan|segreduce|group|check) compadd sum prod min max and or xor land lor ;;
            map) compadd copy neg abs square sign sqrt floor ceil trunc round not real imag conj add sub mul div min max ;;
            cache) compadd clear; return ;;
            lab) compadd all ${(f)"$($words[1] lab 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p')"}; return ;;
            filter) compadd zero nonzero positive negative even odd finite inf nan ;;
        esac
    fi
    _files
}
_oplus "$@"
