import { kindOf, StoreError } from '@unikv/core/adapter'
import type { AnyEntityType } from '../definition/entity-type.ts'
import { type Layout, layoutOf } from './layout.ts'
import { EntityCodec } from './stored-entity.ts'

/** A type of the database, with what was worked out of it. */
export interface Known {
  readonly layout: Layout
  readonly codec: EntityCodec
}

/** The types of a database. */
export class Types {
  readonly #known: ReadonlyMap<unknown, Known>

  /** @throws {StoreError} `INVALID_CONFIG` */
  constructor(types: readonly AnyEntityType[]) {
    checkTypes(types)
    this.#known = new Map(
      types.map((type) => [type, { layout: layoutOf(type), codec: new EntityCodec(type) }]),
    )
  }

  get all(): readonly Known[] {
    return [...this.#known.values()]
  }

  /** @throws {StoreError} `INVALID_ARGUMENT` for a type that the database was not opened with */
  of(operation: string, type: unknown): Known {
    const known = this.#known.get(type)
    if (known !== undefined) return known
    const { name } = Object(type) as Partial<AnyEntityType>
    if (this.all.some(({ layout }) => layout.type.name === name)) throw twin(operation, name as string)
    const names = this.all.map(({ layout }) => layout.type.name).join(', ')
    const message =
      typeof name === 'string'
        ? `The entity type ${name} is not one of this database, which has ${names}.`
        : `${operation}() takes an entity type of this database (${names}) first, got ${kindOf(type)}.`
    throw new StoreError('INVALID_ARGUMENT', message, { operation })
  }
}

function twin(operation: string, name: string): StoreError {
  const message = `The entity type ${name} is another one than the ${name} of this database. Use the one that entities() was given.`
  return new StoreError('INVALID_ARGUMENT', message, { operation })
}

function checkTypes(types: unknown): asserts types is readonly AnyEntityType[] {
  if (!Array.isArray(types) || types.length === 0)
    throw new StoreError('INVALID_CONFIG', `entities() takes a list of entity types, got ${kindOf(types)}.`)
  for (const [at, type] of types.entries())
    if (typeof (Object(type) as AnyEntityType).group !== 'function')
      throw new StoreError(
        'INVALID_CONFIG',
        `Item ${at + 1} of the types of entities() must be made by entity(), got ${kindOf(type)}.`,
      )
  const names = types.map(({ name }: AnyEntityType) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new StoreError('INVALID_CONFIG', `Two entity types have the name ${twice}.`)
  const lost = types.find(({ root }: AnyEntityType) => !names.includes(root)) as AnyEntityType | undefined
  if (lost !== undefined)
    throw new StoreError(
      'INVALID_CONFIG',
      `Entity type ${lost.name} is in the group of ${lost.root}, which is not in the list. Add it.`,
    )
}
