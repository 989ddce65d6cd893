import { type ChildProcess, spawn } from 'node:child_process'
import { StoreError } from '@unikv/core'
import { setTimeout } from '@unikv/core/platform'
import type { Candidate, Change, Facts, Knowledge, Tactic, TunedStore } from '../tactic.ts'

/** A tactic that a program of the owner carries out: a replica, a shard, a node in memory. */
export interface HookOptions {
  /** Such as `add-replica`. */
  readonly name: string
  /** The program and its arguments. It reads one line of JSON, and its exit code says whether it is done. */
  readonly command: readonly [program: string, ...args: string[]]
  /** Stores that it is for. */
  readonly stores: readonly string[]
  readonly knowledge: Knowledge
  /** Its effect on the load; `undefined`: it does not apply. Reads nothing. */
  readonly estimate: (facts: Facts<undefined>) => Omit<Candidate, 'change'> | undefined
  /** Longest time, in milliseconds. @default 600000 */
  readonly limitMs?: number | undefined
}

/** The line that a hook reads on its standard input. */
export interface HookRequest {
  /** `status`: answer `{"done":true}` or `{"done":false}`, and change nothing. */
  readonly action: 'do' | 'undo' | 'status'
  readonly tactic: string
  readonly store: string
  readonly kind: string
  readonly table: string
}

/** The last line that a hook prints. */
interface HookAnswer {
  readonly done: boolean
  readonly message?: string | undefined
}

const mostOutput = 65_536
/** After its end the last lines of a hook come within so long. */
const outputMs = 500

/**
 * A tactic whose work is done by a program, which must do each action once however often it is asked.
 *
 * @throws {StoreError} `INVALID_CONFIG` if the command is missing
 */
export function hookTactic({
  name,
  command,
  stores,
  knowledge,
  estimate,
  limitMs = 600_000,
}: HookOptions): Tactic<undefined> {
  const [program] = command
  if (typeof program !== 'string' || program === '')
    throw new StoreError('INVALID_CONFIG', `\`command\` of the tactic ${name} must name a program.`)
  const ask = async (action: HookRequest['action'], at: TunedStore): Promise<HookAnswer> =>
    answered(command, { action, tactic: name, store: at.name, kind: at.kind, table: at.table }, at.signal)
  const act = async (action: 'do' | 'undo', at: TunedStore): Promise<void> => {
    const { done, message } = await ask(action, at)
    if (!done) throw failed(program, message ?? 'it says that it is not done')
    // A hook may lie: what it says afterwards must fit.
    const { done: isThere } = await ask('status', at)
    if (isThere !== (action === 'do'))
      throw failed(program, `it says that it is done, but its status is ${isThere ? 'done' : 'not done'}`)
  }
  return {
    name,
    knowledge,
    limitMs,
    applies: (facts) => {
      const found = stores.includes(facts.store) ? estimate(facts) : undefined
      return found === undefined ? [] : [{ ...found, change: { hook: name } satisfies Change }]
    },
    carryOut: (_change, at) => act('do', at),
    undo: (_change, at) => act('undo', at),
    isDone: async (_change, at) => (await ask('status', at)).done,
  }
}

/** Run a hook, and read the last line that it prints. */
async function answered(
  [program, ...args]: HookOptions['command'],
  request: HookRequest,
  signal: AbortSignal,
): Promise<HookAnswer> {
  signal.throwIfAborted()
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  let [output, errors] = ['', '']
  child.stdout.on('data', (chunk) => (output = `${output}${chunk}`.slice(-mostOutput)))
  child.stderr.on('data', (chunk) => (errors = `${errors}${chunk}`.slice(-mostOutput)))
  child.stdin.on('error', () => {}) // it may end without reading
  child.stdin.end(`${JSON.stringify(request)}\n`)
  const stop = (): void => kill(child.pid)
  signal.addEventListener('abort', stop, { once: true })
  try {
    const end = await endOf(child)
    signal.throwIfAborted()
    if (end !== undefined) throw failed(program, `${end}. ${lastLine(errors)}`.trim())
    return parsed(program, lastLine(output))
  } catch (cause) {
    const why = notStarted[(cause as NodeJS.ErrnoException).code ?? '']
    throw why === undefined
      ? cause
      : new StoreError('INVALID_CONFIG', `The hook ${program} ${why}.`, { cause })
  } finally {
    signal.removeEventListener('abort', stop)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

const notStarted: { readonly [code: string]: string | undefined } = {
  ENOENT: 'is not there',
  EACCES: 'may not be executed',
}

/** The way a hook ended; `undefined`: well. Its children may live on, and keep its output open. */
async function endOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const end = (code: number | null, by: NodeJS.Signals | null): void =>
      resolve(code === 0 ? undefined : by === null ? `it ended with code ${code}` : `it was ended by ${by}`)
    child.on('error', reject)
    child.on('close', end)
    child.on('exit', (code, by) => setTimeout(() => end(code, by), outputMs))
  })
}

/** The hook and what it started: first it is asked to end. */
function kill(pid: number | undefined): void {
  if (pid === undefined) return
  const send = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-pid, signal)
    } catch {
      // it has ended
    }
  }
  send('SIGTERM')
  setTimeout(() => send('SIGKILL'), 2000).unref()
}

function parsed(program: string, line: string): HookAnswer {
  let answer: unknown
  try {
    answer = JSON.parse(line)
  } catch {
    answer = undefined
  }
  const { done, message } = Object(answer) as { done?: unknown; message?: unknown }
  if (typeof done !== 'boolean')
    throw failed(program, `its last line must be JSON such as {"done":true}, got '${line.slice(0, 80)}'`)
  return { done, ...(typeof message === 'string' ? { message } : {}) }
}

function failed(program: string, why: string): StoreError {
  return new StoreError('UNAVAILABLE', `The hook ${program} failed: ${why}.`.replace(/\.\.$/, '.'))
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
