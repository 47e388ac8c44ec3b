#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# slurm.sh [--throughput] [FILE...]: analyses an archive with Slurm on three nodes; one is killed
#
# All nodes run on this machine. The task of the killed node has to restart on another node. All results
# have to equal those of single runs. A file that fails has to be tried three times and listed. With
# --throughput it only measures the time of 1, 2 and 4 nodes for the files. Without files it creates
# clips. GLCL_PART and GLCL_ELEMENTS are those of submit.sh; GLCL_BUILD is the build folder.
#
# It needs root, and starts munged, slurmctld and slurmd (packages munge, slurmctld, slurmd,
# slurm-client) with its own configuration.
set -euo pipefail
. "$(dirname "$0")/../../pipelines/setup.sh"
throughput=''
case ${1:-} in
  -h | --help) usage "$0"; exit ;;
  --throughput) throughput=1; shift ;;
esac
for program in munged slurmctld slurmd sbatch; do
  if ! command -v "$program" >/dev/null; then
    echo "SKIP: $program is not installed"
    exit 77
  fi
done
((EUID == 0)) || { echo 'SKIP: only root can start nodes'; exit 77; }
files=()
for file; do files+=("$(realpath -- "$file")"); done
work=$(mktemp -d)
chmod 755 "$work"
stop_slurm() {
  local pid
  scancel -u root 2>/dev/null || true
  for pid in "$work"/*.pid; do
    [[ ! -s $pid ]] || kill "$(<"$pid")" 2>/dev/null || true
  done
  sleep 1
  rm -rf "$work"
}
trap stop_slurm EXIT
headless_environment "$work/run"
export GST_PLUGIN_PATH_1_0=$build/gst GLCL_ANALYZE=$build/tools/glcl-analyze SLURM_CONF=$work/slurm.conf
export GLCL_PART=${GLCL_PART:-2.23} GLCL_ELEMENTS=${GLCL_ELEMENTS:-shots,histogram}
# Ports that only this run uses.
port=$((20000 + $$ % 1000 * 10))
while (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do ((port += 10)); done
host=$(hostname) submit=$source_root/pipelines/archive/submit.sh
nodes=3
((!${throughput:-0})) || nodes=4
cat >"$SLURM_CONF" <<CONF
ClusterName=glcl
SlurmctldHost=$host(127.0.0.1)
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
SlurmctldPort=$port
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=8
SchedulerParameters=sched_interval=2,bf_interval=2
KillWait=2
MinJobAge=7200
JobAcctGatherType=jobacct_gather/none
NodeName=w[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=1
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
mkdir -p "$work/state"
(umask 077 && head -c 1024 /dev/urandom >"$work/munge.key")
munged --force --key-file="$work/munge.key" --socket="$work/munge.sock" --pid-file="$work/munge.pid" --log-file="$work/munge.log" \
  --seed-file="$work/munge.seed"
slurmctld
for ((i = 1; i <= nodes; i++)); do
  mkdir -p "$work/spool.w$i"
  slurmd -N "w$i"
done

cd "$work"
parts_of_files=''
if ((${#files[@]} == 0)); then
  sources=()
  for pattern in ball smpte black black pinwheel circular ball gradient; do
    sources+=(videotestsrc num-buffers=42 pattern="$pattern" ! 'video/x-raw,format=I420,width=160,height=120,framerate=25/1' ! all.)
  done
  gst-launch-1.0 -q concat name=all ! openh264enc gop-size=25 ! h264parse ! mp4mux ! filesink location=clip "${sources[@]}" 2>/dev/null
  # Names that need quoting, or that the archive itself uses for a list.
  files=($'a \'clip"\n.mp4' failed)
  cp clip "${files[0]}"
  mv clip "${files[1]}"
  parts_of_files=12
fi

# wait_for_merge OUT: waits until the merge of an archive is done. Slurm delays requeued tasks by two
# minutes; this starts them at once.
wait_for_merge() {
  local pending
  for ((i = 0; i < 1800; i++)); do
    [[ ! -e $1/.archive/failed ]] || return 0
    while read -r pending; do
      scontrol update jobid="$pending" starttime=now 2>/dev/null || true
    done < <(squeue -h -r -t PD -o '%A %r' | sed -n 's/ BeginTime//p')
    sleep 1
  done
  die "the merge does not end: $(squeue)"
}

if [[ $throughput ]]; then
  printf '%s\0' "${files[@]}" >list
  for count in 1 2 4; do
    for ((i = 1; i <= nodes; i++)); do
      scontrol update nodename="w$i" state="$( ((i <= count)) && echo resume || echo drain)" reason=test 2>/dev/null || true
    done
    begin=$(date +%s%N)
    "$submit" list "out-$count" >/dev/null 2>messages
    submitted=$(date +%s%N)
    wait_for_merge "out-$count"
    [[ ! -s out-$count/.archive/failed ]] || die "$(<"out-$count/.archive/failed")"
    # Sums the seconds of analysis in the logs of the tasks.
    sum=$(cat "out-$count"/.archive/log/task-* | sed -n 's/.*"event":"summary".*"seconds":\([0-9.]*\).*/\1/p' | awk '{ s += $1 } END { print s }')
    echo "$count nodes: $(<messages); submit.sh $(((submitted - begin) / 1000000)) ms, all $((($(date +%s%N) - begin) / 1000000)) ms, in glcl-analyze $sum s"
  done
  exit
fi

# On w2, tasks wait until the node is killed.
cat >analyze <<PROGRAM
#!/usr/bin/env bash
[[ \${SLURMD_NODENAME:-} != w2 ]] || sleep 600
exec '$GLCL_ANALYZE' "\$@"
PROGRAM
chmod +x analyze
echo text >text.mp4
printf '%s\0' "${files[@]}" text.mp4 >list
GLCL_ANALYZE=$work/analyze "$submit" list out
parts=$(find out/.archive/tasks -type f | wc -l)
[[ -z $parts_of_files ]] || ((parts == parts_of_files + 1)) || die "$parts parts"
# Kills the node while it has a task: its daemon and the processes of the task.
for ((i = 0; i < 600; i++)); do
  read -r job index < <(squeue -h -w w2 -t R -o '%A %K' && echo) || true
  [[ -z $job ]] || break
  sleep 0.1
done
[[ $job ]] || die 'w2 never had a task'
task=$(sed -n "$((index + 1))p" out/.archive/list-*)
for ((i = 0; i < 600; i++)); do
  [[ ! -s out/.archive/starts/$task ]] || break
  sleep 0.1
done
kill_tree() {
  local child
  kill -STOP "$1" 2>/dev/null || return 0
  for child in $(pgrep -P "$1"); do kill_tree "$child"; done
  kill -9 "$1" 2>/dev/null || true
}
killed=0
for process in $(pgrep -f "^slurmstepd: \\[$job\\."); do
  grep -qz "^SLURM_CONF=$SLURM_CONF$" "/proc/$process/environ" || continue  # a job of another run with the same number
  kill_tree "$process"
  ((++killed))
done
((killed)) || die 'the task has no process'
kill -9 "$(<slurmd.w2.pid)"
rm slurmd.w2.pid
echo "killed w2 at job $job, task $task"
[[ -z $(find "out/.archive/parts/$task" -mindepth 1 -maxdepth 1 ! -name '.glcl-*' 2>/dev/null) ]] || die 'the task ended before the kill'
wait_for_merge out
cat out/.archive/failed
[[ $(wc -l <out/.archive/failed) == 1 && $(<out/.archive/failed) == *text.mp4*'started 3 times'* ]] || die 'the list of failed files is wrong'
scontrol show job "$job" >shown
grep -q 'Restarts=[1-9]' shown || die "the lost task was not requeued: $(<shown)"
grep -q 'BatchHost=w[13]$' shown || die "the task did not run on another node: $(<shown)"
(($(wc -c <"out/.archive/starts/$task") > 1)) || die 'the task was started once'
"$GLCL_ANALYZE" --elements "$GLCL_ELEMENTS" --out whole -- "${files[@]}" >/dev/null
for file in "${files[@]}"; do
  for table in frames.csv events.jsonl summary.json shots.jpg; do
    cmp "whole/${file##*/}/$table" "out/${file##*/}/$table" || die "$table differs"
  done
done
before=$(stat -c %Y "out/${files[0]##*/}")
"$submit" list out 2>messages
grep -q ' 1 of them pending' messages || die "it repeats complete tasks: $(<messages)"
wait_for_merge out
[[ $(stat -c %Y "out/${files[0]##*/}") == "$before" ]] || die 'it replaced complete results'
echo "passed: $((parts - 1)) parts of ${#files[@]} files, $(cat whole/*/frames.csv | wc -l) lines of tables"
