import { inParallel } from '@unikv/core/adapter'
import { type Client, lanes, type NativePlace } from './native-client.ts'

/** `fetch` below the account, with its token. */
interface Swift {
  fetch(path: string, init?: object): Promise<Response>
}

/** Objects in a container of its own, by `fetch`: there is no driver. */
export async function swift(native: unknown, { name }: NativePlace): Promise<Client> {
  const container = `/${name}`
  const place = (key: string): string => `${container}/${encodeURIComponent(key)}`
  const ask = async (method: string, path: string, body?: Uint8Array): Promise<Buffer> => {
    const answer = await (native as Swift).fetch(path, { method, ...(body === undefined ? {} : { body }) })
    const found = Buffer.from(await answer.arrayBuffer())
    return taken(`Swift: ${method} ${path}`, answer.status, found)
  }
  const put = (key: string, value: Uint8Array): Promise<unknown> => ask('PUT', place(key), value)
  await ask('PUT', container)
  return {
    insert: put,
    update: put,
    read: (key) => ask('GET', place(key)),
    delete: (key) => ask('DELETE', place(key)),
    async remove() {
      for (;;) {
        const names = String(await ask('GET', container))
          .split('\n')
          .filter((one) => one !== '')
        if (names.length === 0) break
        await inParallel(names, lanes, (key) => ask('DELETE', place(key)))
      }
      await ask('DELETE', container)
    },
  }
}

/** The REST gateway, over the connections of the store. */
interface Hbase {
  request(
    method: string,
    path: string,
    options?: object,
  ): Promise<{ readonly status: number; readonly body: Buffer }>
}

/** A table with one column, by requests to the REST gateway: there is no driver. */
export async function hbase(native: unknown, { name }: NativePlace): Promise<Client> {
  const table = `/${name}`
  const place = (key: string): string => `${table}/${encodeURIComponent(key)}`
  const ask = async (method: string, path: string, body?: object): Promise<Buffer> => {
    const answer = await (native as Hbase).request(method, path, { body })
    return taken(`HBase: ${method} ${path}`, answer.status, answer.body)
  }
  const put = (key: string, value: Uint8Array): Promise<unknown> => {
    const cell = { column: base64('f:v'), $: base64(value) }
    return ask('PUT', `${table}/row`, { Row: [{ key: base64(key), Cell: [cell] }] })
  }
  // A process that ended may have made it.
  const { status } = await (native as Hbase).request('GET', `${table}/schema`)
  if (status === 404)
    await ask('PUT', `${table}/schema`, { name, ColumnSchema: [{ name: 'f', VERSIONS: '1' }] })
  return {
    insert: put,
    update: put,
    async read(key) {
      const { Row } = JSON.parse(String(await ask('GET', `${place(key)}/f:v`))) as Rows
      return Buffer.from(Row[0].Cell[0].$, 'base64')
    },
    delete: (key) => ask('DELETE', place(key)),
    remove: () => ask('DELETE', `${table}/schema`),
  }
}

interface Rows {
  readonly Row: readonly [{ readonly Cell: readonly [{ readonly $: string }] }]
}

function base64(value: string | Uint8Array): string {
  return Buffer.from(value).toString('base64')
}

/** Refused requests are fast, and must not count. */
function taken(asked: string, status: number, body: Buffer): Buffer {
  if (status < 300) return body
  throw new Error(`${asked} was answered with status ${status}.`)
}
