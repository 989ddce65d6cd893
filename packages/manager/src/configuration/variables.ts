import { readWholeNow } from '@unikv/core/files'
import { isPlainObject } from '@unikv/core/platform'
import { isOneReference, noteReferences } from '../lone-references.ts'
import { wrong } from '../wrong.ts'
import { pathFrom } from './from-folder.ts'

/** Values of variables by name, as `process.env` has them. */
export type Environment = { readonly [name: string]: string | undefined }

/**
 * The same data with each `${NAME}` in a text replaced by the variable, `${NAME:-text}` by the text if it is not set, and
 * `${file:/path}` by the contents of a file without its last line break. `$${` stands for `${`.
 *
 * @param folder where relative paths of files count from @default the working folder of the process
 *
 * @throws {StoreError} `INVALID_CONFIG` that names the variable or file, and the place, but no value; for any other `${`,
 * and for data that contain themselves
 */
export function withVariables(value: unknown, environment: Environment, folder?: string): unknown {
  return replaced(value, { environment, folder, path: '', above: [] })
}

/** Where a value is. */
interface Place {
  readonly environment: Environment
  readonly folder: string | undefined
  readonly path: string
  /** The objects and lists that it is in. */
  readonly above: readonly unknown[]
}

function replaced(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return textWith(value, place)
  const isList = Array.isArray(value)
  if (!isList && (!isPlainObject(value) || isMade(value))) return value
  if (place.above.includes(value)) throw wrong(place.path, 'it contains itself')
  const inside = (part: string): Place => ({
    ...place,
    path: place.path + part,
    above: [...place.above, value],
  })
  if (isList) return notedList(value as readonly unknown[], (one, i) => replaced(one, inside(`[${i}]`)))
  const entries = Object.entries(value)
  const changed = entries.map(
    ([name, one]) => [name, replaced(one, inside(place.path === '' ? name : `.${name}`))] as const,
  )
  return changed.every(([, one], i) => one === entries[i]?.[1])
    ? value
    : noted(value, Object.fromEntries(changed))
}

/** A text that was one reference may become a number or a boolean where no text is taken. */
function noted<T extends object>(before: object, after: T): T {
  const entries = Object.entries(before).filter(([, one]) => isOneReference(one))
  return noteReferences(
    after,
    entries.map(([name]) => name),
  )
}

/** Layers and stores of the program are taken as they are. Their members may also be names of stores. */
export function isMade({ plan, capabilities, read }: Record<string, unknown>): boolean {
  const { wrap } = Object(plan) as { readonly wrap?: unknown }
  return typeof wrap === 'function' || (typeof read === 'function' && capabilities !== undefined)
}

function notedList(
  list: readonly unknown[],
  change: (one: unknown, i: number) => unknown,
): readonly unknown[] {
  return noted(list, unchangedOr(list, change) as readonly unknown[])
}

function unchangedOr(list: readonly unknown[], change: (one: unknown, i: number) => unknown): unknown {
  const changed = list.map(change)
  return changed.every((one, i) => one === list[i]) ? list : changed
}

function textWith(text: string, { environment, folder, path }: Place): string {
  return text.replace(/\$\$\{|\$\{([^}]*\})?/g, (found, inner?: string) => {
    if (found === '$${') return '${'
    const [, file, name, missing] = /^(?:file:(.+)|([A-Za-z_]\w*)(?::-([^}]*))?)\}$/s.exec(inner ?? '') ?? []
    if (file !== undefined) return contents(pathFrom(folder, file), path)
    // A default that begins another reference would end at the first bracket.
    if (name === undefined || missing?.includes('${') === true)
      throw wrong(
        path,
        'after ${ comes NAME}, NAME:-default} or file:/path}, without spaces, and one is not inside another. Two dollar signs, as in $${, mean ${ itself',
      )
    const value = (Object.hasOwn(environment, name) ? environment[name] : undefined) || missing
    if (value !== undefined) return value
    throw wrong(path, `the environment variable ${name} is not set. Set it, or write \${${name}:-default}`)
  })
}

function contents(file: string, path: string): string {
  let text: string
  try {
    text = readWholeNow(file)
      .toString('utf8')
      .replace(/^\ufeff|\r?\n$/g, '')
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? 'unreadable'
    throw wrong(path, `the file ${file} cannot be read (${why})`, cause)
  }
  if (text === '') throw wrong(path, `the file ${file} is empty`)
  return text
}
