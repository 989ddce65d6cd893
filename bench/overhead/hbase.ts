import { keyValue, newVersion } from '@unikv/core'
import { encodeRecord } from '@unikv/core/adapter'
import { hbase } from '@unikv/hbase'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'

const table = 'unikv_bench'
const base64 = (value: string | Buffer): string => Buffer.from(value).toString('base64')
/** What a record has beside its body. */
const header = (): string => base64(encodeRecord(Buffer.alloc(0), newVersion(), undefined))
const columns = { header: base64('u:h'), body: base64('u:b') }

/** The REST gateway, asked by hand over the same connections, with rows of the same two cells. It has no driver. */
export const overHbase: Entrants = {
  server: 'hbase',
  unikv: async (url) => {
    const kv = keyValue(hbase({ url, table, prepare: true }))
    // A table takes its time.
    await kv.get('made', { timeoutMs: 60_000 })
    return ofKeyValue(kv)
  },
  native: nativeHbase,
  keys: 500,
}

async function nativeHbase(url: string): Promise<Client> {
  const store = hbase({ url })
  const rest = store.native
  const rowOf = (key: string): string => base64(`native:${key}`)
  const put = async (entries: readonly (readonly [string, Buffer])[]): Promise<void> => {
    const rows = entries.map(([key, value]) => ({
      key: rowOf(key),
      Cell: [
        { column: columns.header, $: header() },
        { column: columns.body, $: base64(value) },
      ],
    }))
    const { status } = await rest.request('PUT', `/${table}/row`, { body: { Row: rows } })
    // Without its table the gateway answers every call, and fast.
    if (status !== 200) throw new Error(`the rows were not taken: status ${status}`)
  }
  const get = async (keys: readonly string[]): Promise<readonly Buffer[]> => {
    const rows = keys.map((key) => `&row=${Buffer.from(`native:${key}`).toString('base64url')}`)
    const { status, body } = await rest.request('GET', `/${table}/multiget/u:h,u:b?e=b64${rows.join('')}`)
    if (status === 404) return []
    const { Row: found } = JSON.parse(body.toString()) as { readonly Row: readonly Found[] }
    return found.flatMap(({ Cell }) => Cell.map(({ $ }) => Buffer.from($, 'base64')))
  }
  return {
    insert: (key: string, value: Buffer) => put([[key, value]]),
    read: (key: string) => get([key]),
    // As the store does: a row whose cells are empty.
    delete: (key: string) => put([[key, Buffer.alloc(0)]]),
    readMany: get,
    insertMany: put,
    close: () => store.close(),
  }
}

interface Found {
  readonly Cell: readonly { readonly $: string }[]
}
