import { readFileSync } from 'node:fs'
import { isPlainObject } from '@unikv/core/platform'
import { wrong } from './wrong.ts'

/** Values of variables by name, as `process.env` has them. */
export type Environment = { readonly [name: string]: string | undefined }

const reference = /\$\$\{|\$\{(?:file:([^}]*)|([A-Za-z_]\w*)(?::-([^}]*))?)\}/g

/**
 * The same data with each `${NAME}` in a text replaced by the variable, `${NAME:-text}` by the text if it is not set, and
 * `${file:/path}` by the contents of a file without its last line break. `$${` stands for `${`.
 *
 * @throws {StoreError} `INVALID_CONFIG` that names the variable or file, and the place, but no value
 */
export function withVariables(value: unknown, environment: Environment, path = ''): unknown {
  if (typeof value === 'string') return textWith(value, environment, path)
  if (Array.isArray(value))
    return unchangedOr(value, (one, i) => withVariables(one, environment, `${path}[${i}]`))
  // Layers and stores of the program are taken as they are.
  if (!isPlainObject(value) || 'plan' in value || 'capabilities' in value) return value
  const of = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const entries = Object.entries(value)
  const changed = entries.map(([name, one]) => [name, withVariables(one, environment, of(name))] as const)
  return changed.every(([, one], i) => one === entries[i]?.[1]) ? value : Object.fromEntries(changed)
}

function unchangedOr(list: readonly unknown[], change: (one: unknown, i: number) => unknown): unknown {
  const changed = list.map(change)
  return changed.every((one, i) => one === list[i]) ? list : changed
}

function textWith(text: string, environment: Environment, path: string): string {
  return text.replace(reference, (found, file?: string, name?: string, missing?: string) => {
    if (found === '$${') return '${'
    if (file !== undefined) return contents(file, path)
    const value = environment[name as string] || missing
    if (value !== undefined) return value
    throw wrong(path, `the environment variable ${name} is not set. Set it, or write \${${name}:-default}`)
  })
}

function contents(file: string, path: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? 'unreadable'
    throw wrong(path, `the file ${file} cannot be read (${why})`, cause)
  }
}
