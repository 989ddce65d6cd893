import { type Bytes, type KeyValue, keyValue, type Store, StoreError, supports } from '@unikv/core'
import { z } from 'zod'
import { keyNamesSchema } from '../keys/key-space.ts'
import { invalidArgument } from '../options/invalid.ts'
import type { Plain } from '../options/option.ts'
import { benchNamespace, clearNamespace } from '../run/run-namespace.ts'
import { lengthLawSchema } from '../values/length-law.ts'

/** Namespace of the tables inside `benchNamespace`. */
const tables = 'tables'

/** A store that has tables, by its name in the result. */
export interface TableStore {
  readonly name: string
  readonly store: Store<Bytes>
}

/** Records that were loaded once, and stay in a store for many runs. */
export class Table {
  readonly name: string
  /** The namespace of the table's records. */
  readonly keys: KeyValue<string, Bytes>
  /** Where that namespace is in the store, from the outermost one on. */
  readonly path: readonly string[]
  readonly #storeName: string
  readonly #all: KeyValue<string, Bytes>
  readonly #runs: KeyValue<string, Bytes>

  /** @param timeoutMs the deadline of every call */
  constructor({ name: storeName, store }: TableStore, name: string, timeoutMs: number) {
    checkTableName(name)
    this.name = name
    this.#storeName = storeName
    this.#runs = keyValue(store, [], { timeoutMs, coalesce: false }).namespace(benchNamespace)
    this.#all = this.#runs.namespace(tables)
    this.keys = this.#all.namespace(name)
    this.path = [benchNamespace, tables, name]
  }

  /**
   * The record of what is loaded; `undefined`: there is no such table.
   *
   * @throws {StoreError} `CORRUPT` for a record of another version
   */
  async read(): Promise<TableRecord | undefined> {
    const value = await this.#all.get(this.name)
    if (value === undefined) return undefined
    const found = parseRecord(value)
    if (found !== undefined) return found
    const message = `The record of the table ${this.#here} is not of this version of unikv. Load it again with --replace.`
    throw new StoreError('CORRUPT', message)
  }

  /**
   * The record of a table that is loaded to its end.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if there is none
   */
  async loaded(): Promise<TableRecord> {
    const found = await this.read()
    if (found?.state === 'loaded') return found
    const { name } = this
    if (found !== undefined)
      throw invalidArgument(
        `The load of the table ${this.#here} has not ended, or was cut short. Load it again: unikv bench load --table ${name} --replace.`,
      )
    const others = await this.others()
    const known = others.length === 0 ? 'none' : others.join(', ')
    throw invalidArgument(
      `There is no table ${this.#here} (tables there: ${known}). Load it first: unikv bench load --table ${name}.`,
    )
  }

  /** The names of the other tables in the store. */
  async others(): Promise<readonly string[]> {
    if (!supports(this.#all, 'scan')) return []
    const names = new Set<string>()
    for await (const name of this.#all.keys()) names.add(name)
    names.delete(this.name)
    return [...names].sort()
  }

  /** Whether a run is at work in the store. */
  isAtWork(runId: string): Promise<boolean> {
    return this.#runs.has(runId)
  }

  /** Write the record of what is loaded. */
  async write(record: TableRecord): Promise<void> {
    await this.#all.set(this.name, recordBytes(record))
  }

  /** Delete its records. A table that is half cleared is known as half loaded. */
  async clear(): Promise<void> {
    const found = await this.read().catch(() => undefined)
    if (found !== undefined) await this.write({ ...found, state: 'loading' })
    await clearNamespace(this.keys)
  }

  /** Delete it. Its record goes last: half a table is known as half loaded. */
  async remove(): Promise<void> {
    await this.clear()
    await this.#all.delete(this.name)
  }

  get #here(): string {
    return `${this.name} in ${this.#storeName}`
  }
}

/** @throws {StoreError} `INVALID_ARGUMENT` */
export function checkTableName(name: string): void {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) return
  throw invalidArgument(
    `'${name}' cannot name a table: a name begins with a letter or digit, and has up to 64 letters, digits, -, _ and dots.`,
  )
}

const schema = z.strictObject({
  formatVersion: z.literal(1),
  /** `loading`: until the last record is written, so that half a load is noticed. */
  state: z.enum(['loading', 'loaded']),
  records: z.int().min(1),
  /** The number of the first record. */
  firstRecord: z.int().min(0),
  keyNames: keyNamesSchema,
  /** Bytes of values. */
  values: lengthLawSchema,
  seed: z.int(),
  /** The data of the values, in words. */
  data: z.string(),
  /** ISO 8601. */
  loadedAt: z.string(),
  /** How long the load took; 0 until it has ended. */
  elapsedMs: z.number().min(0),
  /** The run that inserts or counts in the table, which has not cleaned up yet; `null`: the table is as it was loaded. */
  changedBy: z.string().nullable(),
})

/** A record of what was loaded into a table. */
export type TableRecord = Plain<typeof schema>

/** The record as a value of a store. */
function recordBytes(record: TableRecord): Bytes {
  return Buffer.from(JSON.stringify(record))
}

/** `undefined`: it is not a record that this version knows. */
function parseRecord(value: Bytes): TableRecord | undefined {
  try {
    return schema.parse(JSON.parse(Buffer.from(value).toString('utf8')))
  } catch {
    return undefined
  }
}
