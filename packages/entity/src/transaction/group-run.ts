import type { Groups } from '@unikv/core'
import { bounded, type Call, isStoreError } from '@unikv/core/adapter'
import type { AnyEntityType, Group } from '../definition/entity-type.ts'
import { groupName } from '../layout/layout.ts'
import type { Types } from '../layout/types.ts'
import { addEntries, type OutsideEntry, removeEntries } from '../outside/outside-index.ts'
import type { Outcome, Runner, RunPlan } from '../runs/runner.ts'
import { type Transact, takeNumber } from '../runs/small-transactions.ts'
import { Workspace } from '../runs/workspace.ts'
import { unfinished } from './refusals.ts'
import { RunMemory } from './run-memory.ts'
import { OpenTransaction } from './transaction.ts'

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

  async #attempt(): Promise<Outcome<R>> {
    const { groups, types, runner } = this.#parts
    const space = await Workspace.open(groups, groupName(this.#group), this.#call)
    this.#memory.begin()
    const tx = new OpenTransaction({
      types,
      group: this.#group,
      space,
      memory: this.#memory,
      takeNumber: (type, counter, keep) =>
        space.aside(async () => keep(await this.#takeNumber(type, counter))),
      wantEntries: (entries) => this.#addEarly(space, entries),
    })
    let result: R
    try {
      result = await bounded(
        this.#call,
        false,
        () => runner.inside(() => this.#work(tx)),
        () => tx.end(),
      )
      const isUnfinished = tx.end()
      if (isUnfinished && !space.hasLost) throw unfinished()
      if (!space.hasLost) await this.#addMissing(space, tx.added)
      if ((await tx.seal()) && !space.hasLost) throw unfinished()
    } catch (error) {
      tx.end()
      await space.rollback()
      if (space.hasLost) return { committed: false }
      throw error
    }
    if (!space.hasLost) return this.#commit(space, tx, result)
    await space.rollback()
    return { committed: false }
  }

  async #commit(space: Workspace, tx: OpenTransaction, result: R): Promise<Outcome<R>> {
    let committed = false
    try {
      committed = await space.commit(space.changes)
    } finally {
      // From now on an error or another attempt tells of late calls.
      if (!committed) tx.end()
    }
    if (!committed) return { committed }
    await this.#remove([...tx.dropped, ...this.#memory.unused(tx.added)])
    return { committed, result }
  }

  #takeNumber(type: AnyEntityType, counter: string): Promise<number> {
    return takeNumber(this.#parts.transact, type, counter, this.#call)
  }

  /** Entries of one entity, before anything is held that would have to be let go for them. All others come together at the end. */
  async #addEarly(space: Workspace, entries: readonly OutsideEntry[]): Promise<void> {
    if (this.#parts.groups.holds === true && !space.holds) await this.#addMissing(space, entries)
  }

  async #addMissing(space: Workspace, wanted: readonly OutsideEntry[]): Promise<void> {
    const entries = this.#memory.missing(wanted)
    if (entries.length === 0) return
    for (const entry of entries) this.#memory.add(entry)
    await space.aside(() => addEntries(this.#parts.transact, entries, this.#call))
  }

  /** Entries of no entity. The sweep removes those that cannot be removed in time. */
  #remove(entries: readonly OutsideEntry[]): Promise<void> {
    return removeEntries(this.#parts.transact, entries, this.#call)
  }
}
