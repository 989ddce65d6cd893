import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'

/*
 * The identity of a writer. Files that exist only during a write bear it, so that the files of a dead writer
 * can be told from those that a living one still needs:
 *
 *   process id - start time - boot - process namespace - random
 *
 * all in hexadecimal digits. A process id alone would not do: ids are used again.
 */

const form = /^([0-9a-f]+)-([0-9a-f]+)-([0-9a-f]+)-([0-9a-f]+)-[0-9a-f]{16}$/

/** Whether a writer lives: `unknown` if it cannot be seen from here. */
export type Life = 'alive' | 'dead' | 'unknown'

/** The processes of this machine. */
export interface Processes {
  /** Another one after every start of the machine, where that can be known. */
  readonly boot: string
  /** A writer that cannot be seen from here counts as dead when it has given no sign of life for so long. */
  readonly unseenMs: number
  /** A new identity of a writer in this process. */
  identity(): string
  life(identity: string): Life
  /** Whether the writer runs on this thread. */
  isHere(identity: string): boolean
}

/** Whether a text is an identity. */
export function isIdentity(text: string): boolean {
  return form.test(text)
}

/** Processes as the operating system shows them: exactly on Linux, as far as signals tell elsewhere. */
export const systemProcesses: Processes = {
  get boot() {
    return here().boot
  },
  identity() {
    const { pid, start, boot, namespace } = here()
    const identity = [pid.toString(16), start, boot, namespace, randomBytes(8).toString('hex')].join('-')
    ofThisThread.add(identity)
    return identity
  },
  unseenMs: 60_000,
  life(identity) {
    const [, pid = '', start, boot, namespace] = form.exec(identity) ?? []
    if (boot === undefined) return 'dead'
    const present = here()
    // One machine has one boot at a time: a writer of an earlier one is gone. Where a boot is hidden, nothing follows.
    if (boot !== present.boot && boot !== unknown && present.boot !== unknown) return 'dead'
    if (namespace !== present.namespace) return 'unknown'
    if (Number.parseInt(pid, 16) === process.pid && start === present.start) return 'alive'
    if (namespace === unknown && process.platform === 'linux') return 'unknown'
    const other = look(Number.parseInt(pid, 16))
    if (other === undefined) return 'dead'
    if (other.start === undefined || start === unknown) return 'unknown'
    return other.start === start ? 'alive' : 'dead'
  },
  isHere(identity) {
    return ofThisThread.has(identity)
  },
}

/** Identities are of threads, and so is a module. */
const ofThisThread = new Set<string>()
const unknown = '0'

interface Here {
  readonly pid: number
  readonly start: string
  readonly boot: string
  readonly namespace: string
}

let known: Here | undefined

/** This process. Looked up once: none of it changes while the process lives. */
function here(): Here {
  if (known?.pid === process.pid) return known
  const boot = textOf('/proc/sys/kernel/random/boot_id')
  known = {
    pid: process.pid,
    start: look(process.pid)?.start ?? unknown,
    boot: boot === undefined ? unknown : createHash('sha256').update(boot).digest('hex').slice(0, 8),
    namespace: namespaceOf() ?? unknown,
  }
  return known
}

/** A process that exists, with its start time where it can be seen; `undefined`: there is none. */
function look(pid: number): { readonly start: string | undefined } | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined
  }
  // The name of the program stands in brackets and may hold anything; state and start time come after it.
  const fields = statusOf(pid)?.split(') ').at(-1)?.split(' ')
  if (fields === undefined) return { start: undefined }
  const isGone = fields[0] === 'Z' || fields[0] === 'X'
  return isGone ? undefined : { start: Number(fields[19]).toString(16) }
}

/** Not where `/proc` is that of another namespace: there the number is that of another process, which ends at other times. */
function statusOf(pid: number): string | undefined {
  return linkOf('/proc/self') === String(process.pid) ? textOf(`/proc/${pid}/stat`) : undefined
}

function namespaceOf(): string | undefined {
  const link = linkOf('/proc/self/ns/pid')
  return link === undefined ? undefined : BigInt(/\d+/.exec(link)?.[0] ?? 0).toString(16)
}

function linkOf(path: string): string | undefined {
  try {
    return fs.readlinkSync(path)
  } catch {
    return undefined
  }
}

function textOf(path: string): string | undefined {
  try {
    // Containers put an empty file in the place of what they hide.
    return fs.readFileSync(path, 'latin1').trim() || undefined
  } catch {
    return undefined
  }
}
