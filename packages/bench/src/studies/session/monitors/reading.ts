import { isPlainObject } from '@unikv/core/platform'

/** Numbers by the names of their series, or why there are none. */
export type Reading = ReadonlyMap<string, number> | string

const wanted = 'it must print a number, or a JSON object of numbers'

/** The numbers that the monitor `name` printed: its own name stands for a bare number, and goes before the names of others. */
export function readingOf(name: string, printed: string): Reading {
  if (printed === '') return `printed nothing: ${wanted}`
  const data = parsed(printed)
  if (isNumber(data)) return new Map([[name, data]])
  if (!isPlainObject(data)) return `printed ${shortened(printed)}: ${wanted}`
  const fields = Object.entries(data)
  if (fields.length === 0) return `printed an empty object: ${wanted}`
  const wrong = fields.find(([, value]) => !isNumber(value))
  if (wrong !== undefined) return `printed ${shortened(JSON.stringify(wrong[1]))} as ${wrong[0]}: ${wanted}`
  return new Map(fields.map(([key, value]) => [`${name} ${key}`, value as number]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function shortened(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length > 60 || line !== text ? `'${line.slice(0, 60)}…'` : `'${line}'`
}
