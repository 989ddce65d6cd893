import type { Bytes } from '@unikv/core'
import {
  type AnyStack,
  type BeginJoint,
  type Call,
  heard,
  type JointAttempt,
  type JointRecords,
  type JointRun,
  type JointTransaction,
} from '@unikv/core/adapter'
import { newId } from '../layer/marks.ts'
import type { Log } from '../log/log.ts'
import { isLost, tryCommit } from './commit.ts'
import { Participant, placeOf, type Share } from './participant.ts'
import { Queue, Turn } from './queue.ts'
import { readFor, Work } from './view.ts'

/** Records of one store in an attempt, for a database above them that reads each once and writes it once. */
class Records implements JointRecords {
  readonly #work: Work
  readonly #share: Share

  constructor(work: Work, share: Share) {
    this.#work = work
    this.#share = share
  }

  async getMany(keys: readonly string[]): Promise<readonly (Bytes | undefined)[]> {
    const names = keys.map((key) => this.#share.participant.keys.canonical(key))
    const found = await readFor(this.#work, this.#share, [...new Set(names)])
    return names.map((name) => found.get(name)?.value as Bytes | undefined)
  }

  async set(key: string, value: Bytes): Promise<void> {
    const { participant, writes } = this.#share
    const name = participant.keys.canonical(key)
    writes.set(name, await participant.mutation({ type: 'set', key: name, value }))
  }
}

/** The transactions of a database over one KeyValue, which makes the attempts itself. */
export function beginOver(kv: AnyStack): BeginJoint {
  const participant = new Participant(placeOf(kv), kv)
  const queue = new Queue()
  return (call) => {
    const turn = new Turn(queue, call)
    let last: Work | undefined
    return {
      async begin() {
        if (last !== undefined) await turn.after(last)
        last = new Work(newId(), [participant], call, turn, (rest) => void heard(rest))
        return new Single(last)
      },
      end: () => turn.end(),
    }
  }
}

class Single extends Records implements JointTransaction {
  readonly #work: Work
  readonly #log: Log

  constructor(work: Work) {
    const share = work.shares[0] as Share
    super(work, share)
    this.#work = work
    this.#log = share.participant.log
  }

  async isConsistent(): Promise<boolean> {
    return !this.#work.isLost && !(await isLost(this.#work, this.#log, this.#work.call))
  }

  async commit(): Promise<boolean> {
    if (this.#work.isLost) return false
    return (await tryCommit(this.#work, this.#log, 'serializable', this.#work.call)) !== undefined
  }
}

/** The databases among the stores of a transaction, in one run. */
export class Members {
  readonly #runs: readonly (readonly [name: string, run: JointRun])[]
  #attempts: readonly (readonly [name: string, attempt: JointAttempt])[] = []

  constructor(participants: readonly Participant[], call: Call) {
    this.#runs = participants.flatMap(({ name, member }) =>
      member === undefined ? [] : [[name, member.begin(call)] as const],
    )
  }

  /** Begin an attempt. Returns what the function gets in place of their records. */
  begin(work: Work): Readonly<Record<string, unknown>> {
    this.#attempts = this.#runs.map(([name, run]) => {
      const share = work.shares.find(({ participant }) => participant.name === name) as Share
      return [name, run.attempt(new Records(work, share))]
    })
    return Object.fromEntries(this.#attempts.map(([name, { view }]) => [name, view]))
  }

  /** Run the function, in which calls that go past the transaction are refused. */
  inside<R>(work: () => Promise<R>): Promise<R> {
    return this.#attempts.reduce(
      (inner, [, attempt]) =>
        () =>
          attempt.inside(inner),
      work,
    )()
  }

  /** Their changes go into the records. */
  async seal(): Promise<void> {
    for (const [, attempt] of this.#attempts) await attempt.seal()
  }

  /** The function has ended: later calls are refused. */
  close(): void {
    for (const [, attempt] of this.#attempts) attempt.end()
  }

  async committed(): Promise<void> {
    await Promise.all(this.#attempts.map(([, attempt]) => attempt.committed()))
  }

  /** The end of the run. */
  async end<R>(run: () => Promise<R>): Promise<R> {
    try {
      return await run()
    } catch (error) {
      await Promise.all(this.#runs.map(([, run]) => run.failed(error)))
      throw error
    }
  }
}
