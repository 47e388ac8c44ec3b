#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# archive.sh [FILE...]: an archive by Slurm on this machine, in parts of 3 s, one of whose two nodes is killed in the middle:
# all results are there and equal those of single runs, and a file that fails is tried three times and listed
#
# Run by hand, as root: it starts munged, slurmctld and slurmd (packages munge, slurmctld, slurmd, slurm-client) with a
# configuration of its own. Takes some minutes, since Slurm waits two before it tries a task again. GLCL_BUILD names the build.
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
case ${1:-} in
  -h | --help) usage "$0"; exit ;;
esac
for program in munged slurmctld slurmd sbatch; do
  if ! command -v "$program" >/dev/null; then
    echo "SKIP: there is no $program here"
    exit 77
  fi
done
((EUID == 0)) || { echo 'SKIP: only root starts nodes'; exit 77; }
work=$(mktemp -d)
chmod 755 "$work"
end() {
  local pid
  for pid in "$work"/*.pid; do
    [[ ! -s $pid ]] || kill "$(<"$pid")" 2>/dev/null || true
  done
  sleep 1
  rm -rf "$work"
}
trap end EXIT
headless_environment "$work/run"
export GST_PLUGIN_PATH_1_0=$build/gst GLCL_ANALYZE=$build/tools/glcl-analyze SLURM_CONF=$work/slurm.conf
export GLCL_PART=3 GLCL_ELEMENTS=shots,histogram,motion
host=$(hostname)
cat >"$SLURM_CONF" <<CONF
ClusterName=glcl
SlurmctldHost=$host
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.sock
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPidFile=$work/ctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/ctld.log
SlurmdLogFile=$work/slurmd.%n.log
SlurmctldPort=26917
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=10
JobAcctGatherType=jobacct_gather/none
NodeName=w[1-2] NodeHostname=$host Port=[27101-27102] CPUs=1
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
mkdir -p "$work"/{state,spool.w1,spool.w2}
(umask 077 && head -c 1024 /dev/urandom >"$work/munge.key")
munged --force --key-file="$work/munge.key" --socket="$work/munge.sock" --pid-file="$work/munge.pid" --log-file="$work/munge.log" \
  --seed-file="$work/munge.seed"
slurmctld
slurmd -N w1
slurmd -N w2

cd "$work"
if (($#)); then
  files=("$@")
else
  clip=$'a \'clip"\n.mp4'
  sources=()
  for pattern in ball smpte black black pinwheel circular ball gradient; do
    sources+=(videotestsrc num-buffers=75 pattern="$pattern" ! 'video/x-raw,format=I420,width=160,height=120,framerate=25/1' ! all.)
  done
  gst-launch-1.0 -q concat name=all ! openh264enc gop-size=25 ! h264parse ! mp4mux ! filesink location=clip "${sources[@]}" 2>/dev/null
  mv clip "$clip"
  cp "$clip" second.mp4
  files=("$clip" second.mp4)
fi
echo text >text.mp4
printf '%s\0' "${files[@]}" text.mp4 >list
"$source_root/pipelines/archive/submit.sh" list out
# A node is lost while it has a task: its daemon, and what that runs.
for ((i = 0; i < 600; i++)); do
  job=$(squeue -h -w w2 -t R -o %A | head -n 1)
  [[ -z $job ]] || break
  sleep 0.1
done
[[ $job ]] || die 'w2 never had a task'
for process in $(pgrep -f "^slurmstepd: \\[$job\\.") ; do
  pkill -9 -P "$process" || true
  kill -9 "$process" || true
done
kill -9 "$(<slurmd.w2.pid)"
rm slurmd.w2.pid
echo "killed w2 at job $job"
for ((i = 0; i < 900; i++)); do
  [[ ! -e out/failed ]] || break
  sleep 1
done
[[ -e out/failed ]] || die "it does not end: $(squeue)"
cat out/failed
[[ $(wc -l <out/failed) == 1 && $(<out/failed) == *text.mp4*'begun 3 times'* ]] || die 'the list of what failed is wrong'
"$GLCL_ANALYZE" --elements "$GLCL_ELEMENTS" --out whole -- "${files[@]}" >/dev/null
for file in "${files[@]}"; do
  for table in frames.csv events.jsonl; do
    cmp "whole/${file##*/}/$table" "out/${file##*/}/$table" || die "$table is another"
  done
done
before=$(stat -c %Y out/second.mp4 2>/dev/null || echo 0)
"$source_root/pipelines/archive/submit.sh" list out 2>told
grep -q ' 1 of them to be done' told || die "does again what is there: $(<told)"
[[ $(stat -c %Y out/second.mp4 2>/dev/null || echo 0) == "$before" ]] || die 'has replaced what was whole'
scancel -u root
echo "all as it should be: $(find out/.archive/tasks -type f | wc -l) parts"
