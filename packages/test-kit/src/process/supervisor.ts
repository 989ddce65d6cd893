import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/*
 * A shell between us and the server makes it end with us, however we end: it holds the other end of our
 * pipe, so even `kill -9` of this process closes it. Lines on the pipe are signal names; the end of the
 * pipe means KILL and the removal of $dir. The shell is the server's parent, so until its `wait` the
 * server's process id cannot have been given to another process.
 */
const script = `
dir=$1
shift
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
(
  while read -r signal <&3; do
    kill -s "$signal" "$server"
    case "$signal" in
      STOP | CONT) kill -s "$signal" $(cat /proc/"$server"/task/*/children) 2>/dev/null ;;
    esac
  done 2>/dev/null
  : >"$dir/.remove"
  kill -s KILL "$server"
) &
watcher=$!
wait "$server"
code=$?
kill "$watcher" 2>/dev/null
if [ -e "$dir/.remove" ]; then rm -rf "$dir"; fi
exit "$code"
`

/** A program that ends with this process. */
export interface Supervised {
  /** The exit code once the program has ended, as the shell tells it (128 + signal when killed). */
  readonly exitCode: number | undefined
  /** Resolves when the program has ended; awaiting it keeps this process alive. */
  exited(): Promise<void>
  /** Sends a signal to the program itself; `STOP` and `CONT` reach its children, too. */
  signal(name: 'KILL' | 'TERM' | 'STOP' | 'CONT'): void
  /** Kills the program and removes its directory. */
  end(): void
}

/**
 * Starts `command` with its output going to the file descriptor `output`. It keeps running while this
 * process lives, but does not keep this process alive.
 */
export function supervised(
  command: string,
  args: readonly string[],
  dir: string,
  output: number,
): Supervised {
  // A session of its own: Ctrl-C reaches us alone, and we decide what ends.
  const child = spawn('/bin/sh', ['-c', script, 'supervisor', dir, command, ...args], {
    cwd: dir,
    detached: true,
    stdio: ['pipe', output, output],
  })
  const pipe = child.stdin as Socket
  // The program may have ended before a signal is written to it: its exit code tells that.
  pipe.on('error', () => {})
  child.unref()
  pipe.unref()
  let exitCode: number | undefined
  const exit = new Promise<void>((resolve) => {
    const settle = (code: number): void => {
      exitCode = code
      resolve()
    }
    child.once('error', () => settle(127))
    child.once('exit', (code) => settle(code ?? 1))
  })
  return {
    get exitCode() {
      return exitCode
    },
    exited: () => {
      child.ref()
      return exit
    },
    signal: (name) => void pipe.write(`${name}\n`),
    end: () => void pipe.end(),
  }
}
