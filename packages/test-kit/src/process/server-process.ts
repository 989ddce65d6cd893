import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Supervised, supervised } from './supervisor.ts'

/** A program to run, and how to see that it answers. */
export interface ProcessSpec {
  /** Full path of the program. */
  readonly command: string
  readonly args: readonly string[]
  /** Its own directory: holds `log`, and is removed with the process. */
  readonly dir: string
  /** Asked every few milliseconds after the start until it says true. */
  ready(): Promise<boolean>
  /** Longest time from start to first answer. @default 60,000 */
  readonly startTimeoutMs?: number
}

/** A server program of ours that can be killed and started again with the same port and data. */
export interface ServerProcess {
  /** Starts it again after {@link ServerProcess.kill}. */
  start(): Promise<void>
  /** Ends it at once (SIGKILL) and keeps its files. */
  kill(): Promise<void>
  /** Freezes it (SIGSTOP): connections stay open, nothing answers. */
  pause(): void
  /** Ends a pause (SIGCONT). */
  resume(): void
  /** Ends it and removes its files; twice is fine. */
  stop(): Promise<void>
}

/** A loaded two-core machine needs a few seconds at most. */
const defaultStartTimeoutMs = 60_000
const pollMs = 10

/**
 * Starts a program and resolves when it is ready.
 *
 * @throws Error with the end of the program's log when it ends early or is not ready in time.
 */
export async function serverProcess(spec: ProcessSpec): Promise<ServerProcess> {
  let current = await started(spec)
  const kill = async (): Promise<void> => {
    current.signal('KILL')
    await current.exited()
  }
  return {
    kill,
    start: async () => {
      await kill()
      current = await started(spec)
    },
    pause: () => current.signal('STOP'),
    resume: () => current.signal('CONT'),
    stop: () => ended(current, spec),
  }
}

async function started(spec: ProcessSpec): Promise<Supervised> {
  const log = await open(join(spec.dir, 'log'), 'a')
  const program = supervised(spec.command, spec.args, spec.dir, log.fd)
  await log.close()
  const problem = await untilReady(spec, program)
  if (problem === undefined) return program
  const printed = await readFile(join(spec.dir, 'log'), 'utf8').catch(() => '')
  await ended(program, spec)
  throw new Error(`${spec.command} ${problem}:\n${printed.split('\n').slice(-20).join('\n')}`)
}

async function untilReady(spec: ProcessSpec, program: Supervised): Promise<string | undefined> {
  const { startTimeoutMs = defaultStartTimeoutMs } = spec
  const giveUpAt = performance.now() + startTimeoutMs
  while (performance.now() < giveUpAt) {
    if (program.exitCode !== undefined) return `ended with exit code ${program.exitCode} before it answered`
    if (await spec.ready()) return undefined
    await sleep(pollMs)
  }
  return `did not answer within ${startTimeoutMs / 1000} s`
}

async function ended(program: Supervised, spec: ProcessSpec): Promise<void> {
  program.end()
  await program.exited()
  // The supervisor removes the directory itself, except where the program had ended before.
  await rm(spec.dir, { recursive: true, force: true })
}
