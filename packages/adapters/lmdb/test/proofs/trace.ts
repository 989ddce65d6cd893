import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** One call of the system, when it was done. */
export interface Call {
  readonly name: string
  /** What strace shows of the parameters. */
  readonly parameters: string
  readonly result: number
}

const calls = 'openat,write,writev,pwrite64,pwritev,fsync,fdatasync,msync'

/** Why system calls cannot be traced here; `undefined`: they can. */
export function traceObstacle(): string | undefined {
  if (process.platform !== 'linux') return 'strace is of Linux'
  const { error, status, stderr } = spawnSync('strace', ['-o', '/dev/null', 'true'], { encoding: 'utf8' })
  if (error !== undefined) return 'strace is not installed'
  return status === 0 ? undefined : `strace is not permitted: ${stderr.trim()}`
}

/** Run a script to its end; its calls, in the order in which they were done. */
export function trace(script: string, parameters: readonly string[], output: string): readonly Call[] {
  const strace = ['-f', '-y', '-s', '32', '-e', `trace=${calls}`, '-o', output]
  const { status, stderr } = spawnSync('strace', [...strace, process.execPath, script, ...parameters], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The traced process failed: ${stderr}`)
  return callsIn(readFileSync(output, 'latin1'))
}

/** A call that other threads interrupt is two lines; it is done at the second. */
function callsIn(text: string): readonly Call[] {
  const begun = new Map<string, string>()
  return text.split('\n').flatMap((line) => {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(rest)
    if (unfinished !== null) {
      begun.set(thread, unfinished[1] as string)
      return []
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
    return callOf(resumed === null ? rest : `${begun.get(thread) ?? ''}${resumed[1]}`)
  })
}

function callOf(line: string): Call[] {
  const [, name, parameters, result] = /^(\w+)\((.*)\) += (-?\d+)/.exec(line) ?? []
  if (name === undefined || parameters === undefined) return []
  return [{ name, parameters, result: Number(result) }]
}
