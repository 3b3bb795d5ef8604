# Completion of oplus for fish.  Commands and options are asked of the command itself.

function __oplus_commands
    oplus help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end
function __oplus_devices
    oplus devices 2>/dev/null | sed -n 's/^\([a-z]*:[0-9]*\) .*/\1/p'
end
function __oplus_options
    set -l words (commandline -opc)
    oplus help $words[2] 2>/dev/null | sed -n 's/^  *\(-[a-z], *\)\{0,1\}\(--[a-z-]*\).*/\2/p'
end
complete -c oplus -n 'test (count (commandline -opc)) -eq 1' -f -a '(__oplus_commands)'
complete -c oplus -n 'test (count (commandline -opc)) -eq 2; and contains help (commandline -opc)' -f -a '(__oplus_commands)'
complete -c oplus -n 'test (count (commandline -opc)) -gt 1; and string match -q -- "-*" (commandline -ct)' -a '(__oplus_options)'
complete -c oplus -n 'contains -- (commandline -opc)[-1] --format --to' -f -a 'npy raw text csv tsv'
complete -c oplus -n 'contains -- (commandline -opc)[-1] --delimiter' -f -a 'comma tab semicolon space pipe'
complete -c oplus -n 'contains -- (commandline -opc)[-1] -t --type --result --values-type' -f -a 'i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c64 c128'
complete -c oplus -n 'contains -- (commandline -opc)[-1] --device' -f -a 'auto serial threads gpu cuda opencl opencl:gpu opencl:cpu (__oplus_devices)'
complete -c oplus -n 'test (count (commandline -opc)) -gt 1; and test (commandline -opc)[2] = lab' -f -a "all (oplus lab 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p')"
