import type { AnyStudy } from '@unikv/bench'
import { z } from 'zod'

/** A field of a configuration, as the command line needs it. */
export interface Field {
  readonly name: string
  /** Where it stands in the configuration. */
  readonly path: readonly string[]
  /** Its option, without the dashes. */
  readonly flag: string
  readonly help: string
  readonly schema: FieldSchema
  readonly default: unknown
}

/** The parts of JSON Schema that are used. */
export interface FieldSchema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly FieldSchema[]
  readonly items?: FieldSchema
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, FieldSchema>>
}

/** The fields that a study takes from the command line, those of objects in them too. */
export function fieldsOf({ config, inputs = config }: Pick<AnyStudy, 'config' | 'inputs'>): readonly Field[] {
  return fieldsIn(z.toJSONSchema(inputs, { io: 'input', unrepresentable: 'any' }) as FieldSchema, [])
}

function fieldsIn({ properties = {} }: FieldSchema, above: readonly string[]): readonly Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = [...above, name]
    if (schema.properties !== undefined) return fieldsIn(schema, path)
    const { description: help = '', default: preset } = schema
    return [{ name, path, flag: kebab(name), help, schema: plain(schema), default: preset }]
  })
}

/** If the alternatives are a number and `'auto'` or `null`, the command line takes the number. */
function plain(schema: FieldSchema): FieldSchema {
  const isNumber = ({ type }: FieldSchema): boolean => type === 'integer' || type === 'number'
  return schema.anyOf?.find(isNumber) ?? schema
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
