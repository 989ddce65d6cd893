import type { Awaitable, Bytes } from '@unikv/core'
import { corrupt, isStoreError, jsonCodec, StoreError } from '@unikv/core/adapter'
import type { KeyPart } from '@unikv/core/keys'
import type { AnyEntityType } from '../definition/entity-type.ts'

/*
 * An entity in its group: one byte, then JSON.
 *   1          no token
 *   2          8 bytes of token before the JSON: the one that its entries in indexes outside the group carry
 */

const tokenBytes = 8

/** An entity as it is stored. */
export interface StoredEntity {
  readonly token: string | undefined
  readonly body: Bytes
}

/** An entity and its token as bytes. */
export function encodeStored({ token, body }: StoredEntity): Bytes {
  if (token === undefined) return Buffer.concat([Buffer.from([1]), body])
  return Buffer.concat([Buffer.from([2]), Buffer.from(token, 'hex'), body])
}

/** @throws {StoreError} `CORRUPT` */
export function decodeStored(bytes: Bytes): StoredEntity {
  if (bytes[0] === 1) return { token: undefined, body: bytes.subarray(1) }
  if (bytes[0] !== 2 || bytes.length <= tokenBytes) throw corrupt('A record of the group', 'is not an entity')
  const token = Buffer.from(bytes.subarray(1, 1 + tokenBytes)).toString('hex')
  return { token, body: bytes.subarray(1 + tokenBytes) }
}

const unchecked = jsonCodec()

/** The JSON of the entities of one type, checked by its schema. */
export class EntityCodec {
  readonly #name: string
  readonly #codec: ReturnType<typeof jsonCodec>

  constructor({ name, schema }: AnyEntityType) {
    this.#name = name
    this.#codec = jsonCodec(schema)
  }

  /** @throws {StoreError} `INVALID_VALUE` */
  encode(entity: unknown): Promise<Bytes> {
    return this.#named(() => this.#codec.encode(entity))
  }

  /** @throws {StoreError} `CORRUPT` */
  async decode(bytes: Bytes | undefined): Promise<unknown> {
    if (bytes === undefined) return undefined
    return this.#named(() => this.#codec.decode(decodeStored(bytes).body))
  }

  /**
   * The properties as they are stored, for ids and indexes: a schema leaves these as they are. So an entity that the present schema rejects can
   * be replaced and removed.
   *
   * @throws {StoreError} `CORRUPT`
   */
  async properties(bytes: Bytes): Promise<Readonly<Record<string, unknown>>> {
    return (await unchecked.decode(decodeStored(bytes).body)) as Readonly<Record<string, unknown>>
  }

  /**
   * The entities that entries of an index lead to; `undefined` for each that is not there, or has another key. An entry proves nothing: it may have been made
   * when the type had another definition, by which the property could change.
   */
  decodeIndexed(all: readonly (Bytes | undefined)[], key: IndexValues): Promise<readonly unknown[]> {
    return Promise.all(all.map((bytes) => this.#decodeIndexed(bytes, key)))
  }

  /** Whether an entry of an index with this token and key is that of a stored entity. */
  async isIndexed(bytes: Bytes | undefined, token: string, key: IndexValues): Promise<boolean> {
    if (bytes === undefined || decodeStored(bytes).token !== token) return false
    return hasKey(await this.properties(bytes), key)
  }

  async #decodeIndexed(bytes: Bytes | undefined, key: IndexValues): Promise<unknown> {
    if (bytes === undefined || !hasKey(await this.properties(bytes), key)) return undefined
    const entity = await this.decode(bytes)
    return hasKey(entity, key) ? entity : undefined
  }

  decodeAll(all: readonly (Bytes | undefined)[]): Promise<readonly unknown[]> {
    return Promise.all(all.map((bytes) => this.decode(bytes)))
  }

  /** A value that does not fit is one of this type: a transaction may have several. */
  async #named<T>(work: () => Awaitable<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!isStoreError(error)) throw error
      const message = `Entity type ${this.#name}: ${forEntities(error.message)}`
      throw new StoreError(error.code, message, { path: error.path, issues: error.issues, cause: error })
    }
  }
}

/** Without the advice of another codec: entities are always JSON. */
function forEntities(message: string): string {
  return message
    .replace(' Use structured(), or a schema', ' Use a schema')
    .replace(', or structured(schema).', '.')
    .replace(/ Use structured\(\)\.$/, '')
}

/** A key of an index, by the names of its properties. */
export type IndexValues = Readonly<Record<string, KeyPart>>

/** Whether an entity, or its stored properties, has this key of an index. */
function hasKey(entity: unknown, key: IndexValues): boolean {
  const properties = Object(entity) as Readonly<Record<string, unknown>>
  return Object.entries(key).every(([property, value]) => properties[property] === value)
}
