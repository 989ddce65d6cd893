import type { Groups, ScanPage, Totals } from '@unikv/core'
import { Aggregating, bounded, type Call, Finding, isStoreError, within } from '@unikv/core/adapter'
import { checkGenerated, checkIds, checkSettings } from '../contract/arguments.ts'
import type {
  EntityCallSettings,
  EntityStatistics,
  EntityTransaction,
  IndexSettings,
  ReindexReport,
  ReindexSettings,
  RunSettings,
  SweepReport,
  SweepSettings,
} from '../contract/entity-db.ts'
import type { AnyEntityQuery } from '../contract/entity-query.ts'
import { keyOfIndex } from '../contract/index-query.ts'
import { owned } from '../contract/owned.ts'
import type { AnyEntityType, Group } from '../definition/entity-type.ts'
import type { GroupKeyValue } from '../groups/record-store.ts'
import {
  counterPlace,
  groupName,
  groupOf,
  idText,
  isNumberedFirst,
  type Layout,
  placeOf,
} from '../layout/layout.ts'
import type { Known, Types } from '../layout/types.ts'
import { eachCandidate } from '../outside/finding.ts'
import { outsideEntities } from '../outside/outside-reads.ts'
import { reindexType } from '../outside/reindex.ts'
import { sweepDatabase } from '../outside/sweep.ts'
import { policyOf } from '../retry/policy-of.ts'
import type { RetryPolicy } from '../retry/retry-policy.ts'
import { Runner, type RunPlan } from '../runs/runner.ts'
import { smallTransactions, type Transact, takeNumber } from '../runs/small-transactions.ts'
import { OneGroup, type Spaces } from '../runs/spaces.ts'
import { Workspace } from '../runs/workspace.ts'
import { checkGroups, checkWork } from '../transaction/check-run.ts'
import { GroupRun, type Opening, type RunParts } from '../transaction/group-run.ts'
import type { OpenTransaction } from '../transaction/transaction.ts'
import type { Entity } from '../transaction/transaction-parts.ts'
import { clearGroups } from './clear.ts'
import { Joint } from './joint.ts'

/** The parts of a database. */
export interface DatabaseParts {
  readonly kv: GroupKeyValue
  readonly groups: Groups
  readonly types: Types
  readonly retry: RetryPolicy
  readonly timeoutMs: number
  readonly random: () => number
}

const runSettings = ['retry', 'onRetry'] as const
/** Entities are told apart by their type. */
const everywhere = { start: '', end: undefined }

/** An `EntityDb`. */
export class Database {
  readonly #parts: DatabaseParts
  readonly #runner: Runner
  /** Transactions of the database itself, on counters and indexes outside of groups: their runs count with those of the application only where they conflict. */
  readonly #transact: Transact
  readonly #runParts: RunParts
  readonly #joint: Joint

  constructor(parts: DatabaseParts) {
    const { kv, groups, types, random } = parts
    this.#parts = parts
    this.#runner = new Runner(random)
    this.#transact = smallTransactions(groups, new Runner(random), this.#plan(undefined))
    const holds = groups.holds === true
    this.#runParts = { holds, types, transact: this.#transact, runner: this.#runner }
    this.#joint = new Joint(kv, groups, this.#runParts)
  }

  get '~joint'(): Joint['member'] {
    return this.#joint.member
  }

  get control(): Groups['control'] {
    return this.#parts.groups.control
  }

  async get(type: AnyEntityType, id: unknown, settings?: EntityCallSettings): Promise<unknown> {
    return (await this.getMany(type, [id], settings, 'get'))[0]
  }

  async getMany(
    type: AnyEntityType,
    ids: readonly unknown[],
    settings?: EntityCallSettings,
    operation = 'getMany',
  ): Promise<readonly unknown[]> {
    checkSettings(operation, settings)
    const { layout, codec } = this.#parts.types.of(operation, type)
    checkIds(layout, ids)
    const places = ids.map((id) => placeOf(layout, id))
    if (places.length === 0) return []
    return this.#reading(settings, async (call) =>
      codec.decodeAll(await this.#parts.groups.read(places, call)),
    )
  }

  async byIndex(
    type: AnyEntityType,
    index: unknown,
    key: unknown,
    settings: EntityCallSettings & IndexSettings = {},
  ): Promise<readonly unknown[]> {
    checkSettings('byIndex', settings, ['limit', 'after'])
    const known = this.#parts.types.of('byIndex', type)
    const { timeoutMs: _, signal: __, ...which } = settings
    const query = keyOfIndex(known.layout, index, key, which)
    if (!query.index.isInside)
      return this.#reading(settings, (call) => outsideEntities(this.#parts.groups, known, query, call))
    const group = groupOf(known.layout, query.values)
    const [ownIndex, ownKey, page] = owned([index, key, which])
    const call = Object.assign(this.#call(settings), { brief: true })
    return this.#run(group, (tx) => tx.byIndex(type, ownIndex, ownKey, page), call, undefined)
  }

  async find(type: AnyEntityType, query: AnyEntityQuery = {}): Promise<ScanPage<unknown>> {
    checkSettings('find', query, ['where', 'orderBy', 'limit', 'after', 'scan'])
    const known = this.#parts.types.of('find', type)
    const finding = new Finding(`${this.#parts.kv.name} ${type.name}`, everywhere, query)
    return this.#reading(query, async (call) => {
      await eachCandidate(this.#parts.groups, known, { operation: 'find', query, call }, (entity) =>
        finding.see(idText(known.layout, entity), entity, entity),
      )
      return finding.end()
    })
  }

  async aggregate(type: AnyEntityType, query: AnyEntityQuery = {}): Promise<Totals> {
    checkSettings('aggregate', query, ['where', 'of', 'scan'])
    const known = this.#parts.types.of('aggregate', type)
    const aggregating = new Aggregating(everywhere, query)
    return this.#reading(query, async (call) => {
      await eachCandidate(this.#parts.groups, known, { operation: 'aggregate', query, call }, (entity) =>
        aggregating.see(entity),
      )
      return aggregating.end()
    })
  }

  async create(type: AnyEntityType, given: Entity, settings?: RunSettings): Promise<Entity> {
    const { layout } = this.#begin('create', type, settings)
    checkGenerated(layout, given)
    const own = owned(given)
    const call = this.#call(settings)
    if (!isNumberedFirst(layout))
      return this.#run(groupOf(layout, own), (tx) => tx.create(type, own), call, settings)
    return this.#createNumbered(type, layout, own, call, settings)
  }

  /** The number names the group, so it comes first. One that an entity has is passed by: it was created when the type gave no numbers. */
  async #createNumbered(
    type: AnyEntityType,
    layout: Layout,
    own: Entity,
    call: Call,
    settings: RunSettings | undefined,
  ): Promise<Entity> {
    const counter = counterPlace(layout, own).group
    for (;;) {
      const number = await takeNumber(this.#transact, type, counter, call)
      const entity = { ...own, [type.generated as string]: number }
      try {
        return await this.#run(groupOf(layout, entity), (tx) => tx.insert(type, entity), call, settings)
      } catch (error) {
        if (!isStoreError(error) || error.code !== 'CONDITION_FAILED') throw error
      }
    }
  }

  async update(type: AnyEntityType, entity: Entity, settings?: RunSettings): Promise<void> {
    const { layout } = this.#begin('update', type, settings)
    const group = groupOf(layout, entity)
    const own = owned(entity)
    return this.#run(group, (tx) => tx.update(type, own), this.#call(settings), settings)
  }

  async delete(type: AnyEntityType, id: unknown, settings?: RunSettings): Promise<boolean> {
    const { layout } = this.#begin('delete', type, settings)
    const group = groupOf(layout, id)
    const own = owned(id)
    return this.#run(group, (tx) => tx.delete(type, own), this.#call(settings), settings)
  }

  async run<R>(
    on: Group | readonly Group[],
    work: (tx: EntityTransaction) => Promise<R>,
    settings?: RunSettings,
  ): Promise<R> {
    this.#runner.refuseNested('run')
    checkSettings('run', settings, runSettings)
    checkGroups(on, this.#parts.types)
    checkWork(work)
    const inside = (tx: OpenTransaction): Promise<R> => work(tx as EntityTransaction)
    const call = this.#call(settings)
    if (!Array.isArray(on)) return this.#run(on as Group, inside, call, settings)
    return this.#runOn(this.#joint.on(on.map(groupName), call), inside, call, settings)
  }

  statistics(): EntityStatistics {
    return { ...this.#runner.counts }
  }

  async clear(settings?: EntityCallSettings): Promise<number> {
    this.#runner.refuseNested('clear')
    checkSettings('clear', settings)
    const { timeoutMs = Number.POSITIVE_INFINITY, signal } = settings ?? {}
    return clearGroups(this.#parts.groups, this.#transact, within(timeoutMs, { signal }))
  }

  async sweep(settings: SweepSettings = {}): Promise<SweepReport> {
    this.#runner.refuseNested('sweep')
    checkSettings('sweep', settings, ['olderThanMs'])
    return sweepDatabase(this.#parts.groups, this.#parts.types, this.#transact, settings)
  }

  async reindex(type: AnyEntityType, settings: ReindexSettings = {}): Promise<ReindexReport> {
    this.#runner.refuseNested('reindex')
    checkSettings('reindex', settings, ['onProgress'])
    const known = this.#parts.types.of('reindex', type)
    return reindexType(this.#parts.groups, this.#transact, known, settings)
  }

  /** Refuse wrong arguments of a change, before anything is sent. */
  #begin(operation: string, type: AnyEntityType, settings: RunSettings | undefined): Known {
    this.#runner.refuseNested(operation)
    checkSettings(operation, settings, runSettings)
    return this.#parts.types.of(operation, type)
  }

  #run<R>(
    group: Group,
    work: (tx: OpenTransaction) => Promise<R>,
    call: Call,
    settings: RunSettings | undefined,
  ): Promise<R> {
    const name = groupName(group)
    const open = async (): Promise<Spaces> =>
      new OneGroup(name, await Workspace.open(this.#parts.groups, name, call))
    return this.#runOn({ open }, work, call, settings)
  }

  #runOn<R>(
    opening: Opening,
    work: (tx: OpenTransaction) => Promise<R>,
    call: Call,
    settings: RunSettings | undefined,
  ): Promise<R> {
    return new GroupRun(this.#runParts, opening, work, call).until(this.#plan(settings))
  }

  #plan(settings: RunSettings | undefined): RunPlan {
    const { retry, onRetry } = settings ?? {}
    return { retry: retry === undefined ? this.#parts.retry : policyOf('run', retry), onRetry }
  }

  /** A read outside of transactions. It ends with its call, even if a schema never answers. */
  #reading<R>(settings: EntityCallSettings | undefined, read: (call: Call) => Promise<R>): Promise<R> {
    const call = this.#call(settings)
    return bounded(call, false, () => read(call), nothing)
  }

  #call(settings: EntityCallSettings | undefined): Call {
    return within(settings?.timeoutMs ?? this.#parts.timeoutMs, { signal: settings?.signal })
  }
}

function nothing(): void {}
