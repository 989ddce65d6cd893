import { readdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type AnyStack, adapterOf } from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'

/** The used part of native clients; each look asks only for what its own store has. */
interface Native {
  call(...command: readonly string[]): Promise<unknown>
  sendCommand(command: readonly string[]): Promise<unknown>
  query(sql: string): Promise<unknown>
}

type Row = Readonly<Record<string, unknown>>

/** Tables by name, with the comment by which those of unikv are known. */
type Tables = readonly (readonly [name: string, comment: string])[]

const mostNames = 5
const mostMs = 2_000

const looks: Readonly<Record<string, (native: Native, place: string) => Promise<string | undefined>>> = {
  redis: (native) => keysOfRedis(native),
  postgres: async (native) => {
    const sql = `SELECT relname AS name, coalesce(obj_description(oid, 'pg_class'), '') AS comment FROM pg_class
      WHERE relkind = 'r' AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema', 'pg_toast')`
    const { rows } = (await native.query(sql)) as { rows: readonly Row[] }
    return tablesText(rows.map(({ name, comment }) => [String(name), String(comment)] as const))
  },
  mysql: async (native) => {
    const sql =
      'SELECT table_name AS name, table_comment AS comment FROM information_schema.tables WHERE table_schema = DATABASE()'
    const [rows] = (await native.query(sql)) as [readonly Row[]]
    return tablesText(rows.map(({ name, comment }) => [String(name), String(comment)] as const))
  },
  file: async (_, place) => {
    const names = (await readdir(dirname(place))).filter((name) => name !== basename(place))
    return names.length === 0
      ? undefined
      : `Its folder has ${count(names.length, 'other entry', 'other entries')}: ${listed(names)}`
  },
}

/**
 * A sentence about other keys, tables or files in the place of the records of a store. `undefined` where the store does
 * not tell that cheaply.
 */
export async function whatIsThere(stack: AnyStack): Promise<string | undefined> {
  const store = adapterOf(stack)
  const [, kind = '', place = ''] = /^([^/]*)\/(.*)$/s.exec(store.dataset ?? '') ?? []
  try {
    const found = looks[kind]?.(store.native as Native, place)
    const words = await Promise.race([found, pause(mostMs, { ref: false })])
    return typeof words === 'string' ? `${words}.` : undefined
  } catch {
    return undefined // the error that is told is another one
  }
}

async function keysOfRedis(native: Native): Promise<string | undefined> {
  const ask = (...command: string[]): Promise<unknown> =>
    typeof native.call === 'function' ? native.call(...command) : native.sendCommand(command)
  const keys = Number(await ask('DBSIZE'))
  if (!(keys > 0)) return undefined
  const [, some] = (await ask('SCAN', '0', 'COUNT', '1000')) as [unknown, readonly unknown[]]
  const starts = new Set(some.flatMap((key) => /^[\w.-]{1,40}:/.exec(String(key))?.[0] ?? []))
  const words = starts.size === 0 ? '' : `, some of which begin with ${listed([...starts])}`
  return `The database has ${count(keys, 'other key', 'other keys')}${words}`
}

function tablesText(tables: Tables): string | undefined {
  const isOwn = ([, comment]: Tables[number]): boolean => comment.startsWith('unikv ')
  const own = tables.filter(isOwn).map(([name]) => name)
  const others = tables.filter((table) => !isOwn(table)).map(([name]) => name)
  const parts = [
    ...(own.length === 0 ? [] : [`${count(own.length, 'dataset', 'datasets')} (${listed(own)})`]),
    ...(others.length === 0
      ? []
      : [`${count(others.length, 'table', 'tables')} of other programs (${listed(others)})`]),
  ]
  return parts.length === 0 ? undefined : `The database has ${parts.join(' and ')}`
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

function listed(names: readonly string[]): string {
  const shown = names.toSorted().slice(0, mostNames).join(', ')
  return names.length > mostNames ? `${shown}, …` : shown
}
