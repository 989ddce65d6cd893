import { type Feature, supports } from '@unikv/core'
import { invalidConfig } from '@unikv/core/adapter'
import type { ModuleReference } from '../../operations/mix.ts'
import { openOwnModule, reopenOwnModule } from '../../own/own-module.ts'
import {
  definitionOf,
  numbersOf,
  populationsOf,
  type SessionWorkload,
} from '../../session/run/session-workload.ts'
import type { AccessedJob, DataPlace, OpenedAccess } from './opened-access.ts'

/** A benchmark of a user's module. */
export interface OwnBenchmark {
  readonly definition: SessionWorkload<unknown, unknown>
  readonly reference: ModuleReference
}

/**
 * Load a module with a benchmark: what `sessionWorkload` makes is its default export.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be read, `INVALID_CONFIG` if it exports something else
 */
export async function openBenchmark(file: string): Promise<OwnBenchmark> {
  const { workload, reference } = await openOwnModule(file)
  return { definition: definedBy(workload, file), reference }
}

function definedBy(workload: object, file: string): SessionWorkload<unknown, unknown> {
  const found = definitionOf(workload)
  if (found !== undefined) return found
  throw invalidConfig(
    `${file} has operations, and no sessions. Export sessionWorkload({ … }) of @unikv/bench/session, or name it in workload.module`,
  )
}

/**
 * Open the data access of a benchmark of a module.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a store that lacks what it needs; `INVALID_ARGUMENT` if the module has changed
 */
export async function openOwnAccess(
  { access, model, timeoutMs }: AccessedJob,
  reference: ModuleReference,
  { store, keys }: DataPlace,
): Promise<OpenedAccess> {
  const own = definedBy(await reopenOwnModule(reference), reference.file)
  const { needs = ['conditionalWrite'] } = own
  const missing = needs.find((feature: Feature) => !supports(store, feature))
  if (missing !== undefined)
    throw invalidConfig(`${reference.file} needs ${missing}, which ${store.name} does not have`)
  const { transactions, retry } = access
  const db = own.open(keys, { transactions, retry, timeoutMs })
  const { control = 'own', statistics } = (db ?? {}) as Told
  return {
    db: db as never,
    benchmark: own.benchmark as never,
    populations: populationsOf(own, model) as never,
    control,
    statistics: () => own.statistics?.(db) ?? statistics?.call(db) ?? {},
    ...(own.check === undefined
      ? {}
      : { check: async () => (await own.check?.(db, numbersOf(model))) ?? [] }),
    create: async () => void (await own.prepare?.(db)),
    drop: async () => void (await own.remove?.(db)),
  }
}

/** Entities tell this of themselves, and other ways to the data may. */
interface Told {
  readonly control?: string
  readonly statistics?: () => object
}
