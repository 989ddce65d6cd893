import { type Groups, type GroupTransaction, isStoreError } from '@unikv/core'
import { bounded, type Call } from '@unikv/core/adapter'
import type { Group } from '../definition/entity-type.ts'
import { groupName } from '../layout/layout.ts'
import type { Types } from '../layout/types.ts'
import { addEntry, type OutsideEntry, removeEntry } from '../outside/outside-index.ts'
import { RunMemory } from './run-memory.ts'
import type { Outcome, Runner, RunPlan } from './runner.ts'
import { type Transact, takeNumber } from './small-transactions.ts'
import { OpenTransaction } from './transaction.ts'
import { Wanted } from './wanted.ts'
import { Workspace } from './workspace.ts'

/** The parts that runs share. */
export interface RunParts {
  readonly groups: Groups
  readonly types: Types
  readonly transact: Transact
  readonly runner: Runner
}

/** One run of a function of the application on one group, with all its attempts. */
export class GroupRun<R> {
  readonly #parts: RunParts
  readonly #group: Group
  readonly #work: (tx: OpenTransaction) => Promise<R>
  readonly #call: Call
  readonly #memory: RunMemory = new RunMemory()

  constructor(parts: RunParts, group: Group, work: (tx: OpenTransaction) => Promise<R>, call: Call) {
    this.#parts = parts
    this.#group = group
    this.#work = work
    this.#call = call
  }

  async until(plan: RunPlan): Promise<R> {
    try {
      return await this.#parts.runner.run(() => this.#attempt(), this.#call, plan)
    } catch (error) {
      // Where it is not known whether the entities are there, their entries stay.
      if (!isStoreError(error) || error.code !== 'OUTCOME_UNKNOWN')
        await this.#remove(this.#memory.unused([]))
      throw error
    }
  }

  /** An attempt that wants something of other groups is given up, and made again when that is there. It does not count as lost. */
  async #attempt(): Promise<Outcome<R>> {
    for (;;) {
      const wanted = new Wanted(this.#parts.groups.holds === true)
      const outcome = await this.#attemptOnce(wanted)
      if (wanted.isEmpty) return outcome
      await this.#provide(wanted)
    }
  }

  async #attemptOnce(wanted: Wanted): Promise<Outcome<R>> {
    const { groups, types, runner } = this.#parts
    const inner = await groups.begin(groupName(this.#group), this.#call)
    const space = new Workspace(inner)
    this.#memory.begin()
    const number = (counter: string): Promise<number> =>
      wanted.number(counter, () => this.#takeNumber(counter))
    const tx = new OpenTransaction({
      types,
      group: this.#group,
      space,
      memory: this.#memory,
      takeNumber: number,
      wantEntries: (entries) => wanted.ahead(this.#memory.missing(entries)),
    })
    let result: R
    try {
      result = await bounded(
        this.#call,
        false,
        () => runner.inside(() => this.#work(tx)),
        () => tx.end(),
      )
      tx.end()
      if (!space.hasLost)
        await wanted.entries(this.#memory.missing(tx.added), (some) => this.#addEntries(some))
    } catch (error) {
      tx.end()
      await inner.rollback()
      if (space.hasLost || !wanted.isEmpty) return { committed: false }
      throw error
    }
    if (!space.hasLost && wanted.isEmpty) return this.#commit(inner, space, tx, result)
    await inner.rollback()
    return { committed: false }
  }

  async #commit(
    inner: GroupTransaction,
    space: Workspace,
    { added, dropped }: OpenTransaction,
    result: R,
  ): Promise<Outcome<R>> {
    if (!(await inner.commit(space.changes))) return { committed: false }
    await this.#remove([...dropped, ...this.#memory.unused(added)])
    return { committed: true, result }
  }

  /** Get what an attempt wanted, while no transaction is open. */
  async #provide({ counters, missing }: Wanted): Promise<void> {
    for (const counter of counters) this.#memory.provide(counter, await this.#takeNumber(counter))
    await this.#addEntries(missing)
  }

  #takeNumber(counter: string): Promise<number> {
    return takeNumber(this.#parts.transact, counter, this.#call)
  }

  async #addEntries(entries: readonly OutsideEntry[]): Promise<void> {
    await Promise.all(
      entries.map((entry) => {
        this.#memory.add(entry)
        return addEntry(this.#parts.transact, entry, this.#call)
      }),
    )
  }

  /** Entries of no entity. The sweep removes those that cannot be removed in time. */
  async #remove(entries: readonly OutsideEntry[]): Promise<void> {
    await Promise.all(entries.map((entry) => removeEntry(this.#parts.transact, entry, this.#call)))
  }
}
