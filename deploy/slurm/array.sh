#!/bin/bash
# Describes, or converts, every file of a list with an array of Slurm tasks:
#   sbatch --array=0-19%10 deploy/slurm/array.sh inspect files.txt results
#   sbatch --array=0-19%10 deploy/slurm/array.sh export files.txt results --to ome-zarr --base /data
# Each task takes its share of the list and writes results/INDEX.jsonl, a line for each file. Exports are written beside them.
# Submit the same again after a cancelled run, or for files that failed: what is exported is skipped.
#SBATCH --job-name=acqstore
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
#SBATCH --time=04:00:00
set -euo pipefail

command=${1:?inspect or export}
list=${2:?a list of files, one path per line}
results=${3:?a folder for the results}
shift 3

index=${SLURM_ARRAY_TASK_ID:?start it with sbatch --array}
first=${SLURM_ARRAY_TASK_MIN:-0}
count=${SLURM_ARRAY_TASK_COUNT:?start it with sbatch --array}
mkdir -p "$results"

if [ "$command" = export ]; then set -- --out "$results" "$@"; fi

# The lines of a task that is stopped are not taken for its result.
lines=$results/$index.jsonl
status=0
${ACQSTORE:-acqstore} "$command" --from "$list" --shard "$((index - first))/$count" \
  --workers "${SLURM_CPUS_PER_TASK:-2}" --jsonl "$@" >"$lines.part" || status=$?
# 4: some files failed, and their lines say why.
if [ "$status" -ne 0 ] && [ "$status" -ne 4 ]; then exit "$status"; fi
mv "$lines.part" "$lines"
