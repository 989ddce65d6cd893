import { type HookedStore, SetUps } from '../../own/own-hooks.ts'
import type { RunNamespace } from '../../run/run-namespace.ts'
import type { StoreTarget } from '../../run/target.ts'
import type { StudyContext } from '../../study/study.ts'
import { Table, type TableRecord } from '../../tables/table.ts'
import { beginUse, endUse, type TableUse } from '../../tables/use-table.ts'
import type { RunConfig } from './config.ts'
import { wholeWorkload } from './phases/setting.ts'

/** Where the records of each store are: in the run's own namespace, or in a table; and what a module sets up there. */
export class Places {
  readonly #context: StudyContext<RunConfig>
  readonly #tables: ReadonlyMap<StoreTarget, Table>
  readonly #records = new Map<StoreTarget, TableRecord>()
  readonly #setUps = new SetUps()

  constructor(context: StudyContext<RunConfig>) {
    const { table, timeoutMs } = context.config
    this.#context = context
    this.#tables = new Map(
      table === null ? [] : context.stores.map((target) => [target, new Table(target, table, timeoutMs)]),
    )
  }

  /** Look at the tables of all stores, before anything is measured. */
  async begin(): Promise<void> {
    for (const [target, table] of this.#tables) this.#records.set(target, await beginUse(table, this.#use()))
  }

  /** The namespace of a store's records. */
  of(target: StoreTarget): Pick<RunNamespace, 'keys' | 'path'> {
    return this.#tables.get(target) ?? (this.#context.namespaces.get(target) as RunNamespace)
  }

  /** The records that a table holds; `undefined`: they must be loaded. */
  loaded(target: StoreTarget): TableRecord | undefined {
    return this.#records.get(target)
  }

  /** Call `setup` of the module. One that fails is torn down, too. */
  setUp(target: StoreTarget): Promise<void> {
    return this.#setUps.setUp(this.#hooked(target))
  }

  /** Tear down what was set up, and leave tables as they were loaded. */
  async finish(): Promise<void> {
    const failures: unknown[] = []
    const noted = (error: unknown): void => void failures.push(error)
    await this.#setUps.tearDown().catch(noted)
    for (const table of this.#tables.values()) await endUse(table, this.#use()).catch(noted)
    if (failures.length > 0) throw failures[0]
  }

  #hooked(target: StoreTarget): HookedStore {
    const { config, signal } = this.#context
    const { keys } = this.of(target)
    return { name: target.name, workload: config.workload, keys, signal }
  }

  #use(): TableUse {
    const { runId, config, data } = this.#context
    const { seed } = config
    const workload = wholeWorkload(config)
    return { runId, workload, expected: { workload, seed, data: data.description } }
  }
}
