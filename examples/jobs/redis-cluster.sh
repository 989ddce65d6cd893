#!/bin/sh
# Starts (start) or stops (stop) a cluster of as many Redis servers as the job's parameter serverNum says, at ports from 7101 on. It keeps
# their data in unikv-redis-cluster of the folder for temporary files, and gets the parameters as JSON on standard input.
set -eu
folder=${TMPDIR:-/tmp}/unikv-redis-cluster
first=7101
servers=$(sed -n 's/.*"serverNum":"\([0-9]*\)".*/\1/p')
ports=$(seq "$first" $((first + servers - 1)))

case $1 in
start)
  mkdir "$folder"
  hosts=''
  for port in $ports; do
    mkdir "$folder/$port"
    redis-server --port "$port" --bind 127.0.0.1 --dir "$folder/$port" --daemonize yes --pidfile "$folder/$port/pid" \
      --logfile "$folder/$port/log" --save '' --appendonly no --cluster-enabled yes --cluster-node-timeout 5000 >/dev/null
    hosts="$hosts 127.0.0.1:$port"
  done
  # Servers answer a moment after they were started.
  for port in $ports; do until redis-cli -p "$port" ping >/dev/null 2>&1; do sleep 0.1; done; done
  # shellcheck disable=SC2086 -- a word for each server
  redis-cli --cluster create $hosts --cluster-replicas 0 --cluster-yes >/dev/null
  for port in $ports; do until redis-cli -p "$port" cluster info | grep -q cluster_state:ok; do sleep 0.1; done; done
  ;;
stop)
  for pid in "$folder"/*/pid; do [ -f "$pid" ] && kill "$(cat "$pid")"; done
  rm -rf "$folder"
  ;;
esac
