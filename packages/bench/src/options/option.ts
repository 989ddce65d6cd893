import { z } from 'zod'

/** How text of the command line becomes a value, and a default becomes text. */
export interface Form {
  /** Such as `<list>`. */
  readonly argument: string
  /** Throws a `StoreError` that names what is wrong. */
  readonly parse: (text: string) => unknown
  /** The default as it would be written; `undefined`: help has none. @default numbers and words as they are */
  readonly textOf?: ((value: unknown) => string | undefined) | undefined
}

/** When an option would be ignored. */
export interface Idle {
  /** Takes the configuration with its defaults. */
  when(this: void, config: object): boolean
  /** Follows the name of the option, such as `needs --rate.` */
  readonly why: string
}

/** Facts of an option besides its type. They stand beside the field of a configuration, and nowhere else. */
export interface OptionFacts extends Partial<Form> {
  /** One line, without the default. A field without it is not on the command line. */
  readonly help?: string
  /** The name on the command line. @default that of the field, `valueSize` as `value-size` */
  readonly flag?: string
  /** A letter, for an option that people know by it. */
  readonly letter?: string
  /** It has no name on the command line: it follows the command. @default false */
  readonly isArgument?: boolean
  /** May be given several times; `parse` gets each. @default false */
  readonly isRepeatable?: boolean
  /** A configuration file may hold objects, which reach `parse` as JSON. @default false */
  readonly takesJson?: boolean
  /** The default in words, where the schema cannot say it; `null`: help names none. @default that of the schema */
  readonly preset?: string | null
  /** It says nothing without a cache. @default false */
  readonly needsCache?: boolean
  /** It is refused if one of these holds. */
  readonly idle?: readonly Idle[]
  /** Results must agree in it to be compared, unless it is idle: words for it; `null`: they need not. @default its name */
  readonly alike?: string | null
  /** The part of its value in which they must agree. @default the value */
  agreeing?(this: void, value: unknown): unknown
  /** Further sentences for the guide, as Markdown. */
  readonly guide?: string
  /** The fields of this object that are options. @default all that have help */
  readonly offers?: readonly string[]
}

/** The parts of a phase that may be its own; `null`: that of the run. */
interface OwnParts {
  readonly mix: unknown
  readonly rate: unknown
  readonly concurrency: unknown
  readonly durationMs: unknown
  readonly operations: unknown
}

/** An option of a run that says nothing where each phase has its own. */
export function eachPhaseHas(hasOwn: (phase: OwnParts) => boolean): Idle {
  return {
    when: ({ phases = [] }: { readonly phases?: readonly OwnParts[] }) =>
      phases.length > 0 && phases.every(hasOwn),
    why: 'says nothing, as each phase has its own. Leave it out, or leave it out of a phase.',
  }
}

const registry = z.registry<OptionFacts>()

/** The schema of an option with its facts; those that it has already stay if they are not given anew. */
export function option<S extends z.ZodType>(schema: S, facts: OptionFacts): S {
  const own = schema.clone()
  registry.add(own, { ...factsOf(schema), ...facts })
  return own
}

/** A field of a configuration, those of objects in it too. */
export interface OptionField {
  readonly path: readonly string[]
  readonly schema: z.core.$ZodType
  readonly facts: OptionFacts
}

/** The fields of an object; an object in it stands for its fields, unless it has this fact itself. */
export function fieldsIn(
  schema: z.core.$ZodType,
  fact: 'help' | 'alike',
  above: readonly string[] = [],
): readonly OptionField[] {
  const { offers } = factsOf(schema)
  return Object.entries(shapeOf(schema) ?? {}).flatMap(([name, field]): readonly OptionField[] => {
    const path = [...above, name]
    const facts = factsOf(field)
    if (facts[fact] === undefined && facts.help === undefined && shapeOf(field) !== undefined)
      return fieldsIn(field, fact, path)
    const { help, ...others } = facts
    const isOffered = help !== undefined && offers?.includes(name) !== false
    return [{ path, schema: field, facts: isOffered ? facts : others }]
  })
}

/** The schema within defaults and `null`. */
export function coreOf(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = innerOf(schema)
  return inner === undefined ? schema : coreOf(inner)
}

function factsOf(schema: z.core.$ZodType): OptionFacts {
  const inner = innerOf(schema)
  return registry.get(schema) ?? (inner === undefined ? {} : factsOf(inner))
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  return (schema._zod.def as { readonly innerType?: z.core.$ZodType }).innerType
}

function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | undefined {
  const core = coreOf(schema)
  return core instanceof z.ZodObject ? core.shape : undefined
}

/** The output of a schema, read-only at all depths. */
export type Plain<S extends z.ZodType> = ReadonlyDeep<z.output<S>>

/** The outputs of schemas, by the names of their fields. */
export type PlainShape<S extends Readonly<Record<string, z.ZodType>>> = {
  readonly [K in keyof S]: Plain<S[K]>
}

/** A part of what a schema takes: the options that were given, by the names of the configuration. */
export type Given<S extends z.ZodType> = PartialDeep<z.input<S>>

type ReadonlyDeep<T> = unknown extends T
  ? T
  : T extends (...args: never) => unknown
    ? T
    : { readonly [K in keyof T]: ReadonlyDeep<T[K]> }

type PartialDeep<T> = unknown extends T
  ? T
  : T extends readonly unknown[]
    ? ReadonlyDeep<T>
    : { readonly [K in keyof T]?: PartialDeep<T[K]> | undefined }
