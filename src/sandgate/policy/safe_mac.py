"""Programs of macOS that only read, by the arguments that keep them so. Data, like `safe_programs`.

Many of them take verbs with a dash, of which those that show are named here and nothing else.
"""

from __future__ import annotations

MAC: dict[str, str] = {
    "sw_vers": "words -productName -productVersion -buildVersion 0",
    "system_profiler": "words -json -xml -detailLevel= -listDataTypes -timeout= *",
    "vm_stat": "-c= 1",
    "otool": "-aDfhILlPrSTtvVXx *",
    "mdfind": "words -name= -onlyin= -count -0 1",
    "mdls": "words -name= -raw -nullMarker= *",
    "plutil": "words -p -lint 1 needs:-p,-lint",
    "xattr": "-lprsvx * needs:-l,-p",
    "pmset": "-g 0 needs:-g",
    "defaults": "stop * sub",
    "diskutil": "stop * sub",
    "launchctl": "stop * sub",
    "tmutil": "stop * sub",
    "log": "stop * sub",
    "dscl": "stop * exact check:dscl",
    "scutil": "words --get= --dns --proxy --nwi 0 needs:--get,--dns,--proxy,--nwi",
    "networksetup": "words -listallnetworkservices -listallhardwareports -listnetworkserviceorder -listlocations "
    "-getinfo -getdnsservers -getwebproxy -getsearchdomains -getcomputername -getairportnetwork -getcurrentlocation "
    "-version * exact needs:-listallnetworkservices,-listallhardwareports,-listnetworkserviceorder,-listlocations,"
    "-getinfo,-getdnsservers,-getwebproxy,-getsearchdomains,-getcomputername,-getairportnetwork,"
    "-getcurrentlocation,-version",
    "softwareupdate": "--history -l --list --all 0 confined needs:--history,-l,--list",
    "pfctl": "-vgq -s= 0 needs:-s",
    "kextstat": "-lka -b= 0",
    "ioreg": "-abcfilrStwx -c= -d= -n= -k= -p= 0",
    "nvram": "-px 0 needs:-p",
    "sysdiagnose": "-h 0 needs:-h",
    "pkgutil": "words --pkgs --files --pkg-info --file-info --version 1 needs:--pkgs,--files,--pkg-info,--file-info,"
    "--version",
}

MAC_COMMANDS: dict[str, str] = {
    "tmutil listbackups": "-mdt 0",
    "tmutil listlocalsnapshots": "1",
    "tmutil listlocalsnapshotdates": "1",
    "tmutil status": "0",
    "tmutil destinationinfo": "-X 0",
    "tmutil latestbackup": "-mdt 0",
    "log show": "--last= --predicate= --style= --start= --end= --info --debug --process= --no-pager 0",
    "log stats": "--overview --sort= 0",
    "log help": "1",
}
