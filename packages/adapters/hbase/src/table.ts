import { type CallOptions, isStoreError } from '@unikv/core'
import { invalidConfig } from '@unikv/core/adapter'
import { isPlainObject, pause } from '@unikv/core/platform'
import { notHbase } from './client/cells.ts'
import { type Gateway, notPrepared } from './client/gateway.ts'
import type { HbaseSettings } from './options.ts'

/** The gateway's description of a table. */
interface Schema {
  /** Our mark: the format of its rows. */
  readonly UNIKV?: string
  readonly ColumnSchema?: readonly { readonly name: string; readonly TTL?: string }[]
}

/** The format of rows that this version writes. */
const format = '1'
/** How HBase says that cells live for ever. */
const forever: ReadonlySet<string | undefined> = new Set([undefined, '2147483647', 'FOREVER'])

/**
 * See that the table is there and ours, and that the gateway can name any row; make the table where `prepare` says so.
 *
 * @throws {StoreError} `NOT_PREPARED`, `INVALID_CONFIG`, `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function openTable(gateway: Gateway, settings: HbaseSettings, call: CallOptions): Promise<void> {
  const schema = await schemaOf(gateway, call)
  if (settings.prepare) return makeAmongOthers(gateway, settings, call)
  if (schema === undefined) throw notPrepared(settings.table)
  await checkTable(gateway, settings, schema, call)
}

const mostTries = 20
const againMs = 100

/**
 * Several may make the table at once. The gateway lets a late one change it: the table is disabled for a moment, and answers no call
 * until it is enabled again.
 */
async function makeAmongOthers(gateway: Gateway, settings: HbaseSettings, call: CallOptions): Promise<void> {
  for (let left = mostTries; left > 0; left--) {
    try {
      const schema = await schemaOf(gateway, call)
      if (schema !== undefined) return await checkTable(gateway, settings, schema, call)
      await makeTable(gateway, settings, call)
    } catch (error) {
      if (left === 1 || !isStoreError(error) || error.code !== 'UNAVAILABLE') throw error
      await pause(againMs)
    }
  }
  throw notPrepared(settings.table)
}

async function checkTable(
  gateway: Gateway,
  settings: HbaseSettings,
  schema: Schema,
  call: CallOptions,
): Promise<void> {
  checkSchema(settings, schema)
  await checkGateway(gateway, call)
}

async function schemaOf(gateway: Gateway, call: CallOptions): Promise<Schema | undefined> {
  try {
    const { body } = await gateway.ask(call, {
      method: 'GET',
      path: '/schema',
      isWrite: false,
      expected: [200],
    })
    return schemaIn(body)
  } catch (error) {
    if (isStoreError(error) && error.code === 'NOT_PREPARED') return undefined
    throw error
  }
}

function schemaIn(body: Buffer): Schema {
  try {
    const schema: unknown = JSON.parse(body.toString())
    if (isPlainObject(schema)) return schema
  } catch {
    // It is said below what it is not.
  }
  throw notHbase(false)
}

/** A process that makes it at the same time makes the same one: the gateway then answers *not modified*. */
async function makeTable(
  gateway: Gateway,
  { family, table }: HbaseSettings,
  call: CallOptions,
): Promise<void> {
  const body = { name: table, UNIKV: format, ColumnSchema: [{ name: family, VERSIONS: '1' }] }
  await gateway.ask(call, { method: 'PUT', path: '/schema', body, isWrite: false, expected: [200, 201, 304] })
}

function checkSchema({ table, family }: HbaseSettings, { UNIKV, ColumnSchema = [] }: Schema): void {
  if (UNIKV !== format)
    throw invalidConfig(`The table ${table} was not created by this version of unikv. Name another table.`)
  const column = ColumnSchema.find(({ name }) => name === family)
  if (column === undefined)
    throw invalidConfig(`The table ${table} was created with another column family than ${family}.`)
  if (!forever.has(column.TTL))
    throw invalidConfig(
      `The family ${family} of the table ${table} has a TTL, which would drop live records.`,
    )
}

/**
 * Row keys travel in Base64, which older gateways take for the key itself: every read would be a miss. A key that is
 * not Base64 is an error to those that know it, and only a row that is not there to those that do not.
 */
async function checkGateway(gateway: Gateway, call: CallOptions): Promise<void> {
  const { status } = await gateway.ask(call, {
    method: 'GET',
    path: '/multiget?e=b64&row=!',
    isWrite: false,
    expected: [200, 400, 404, 500],
  })
  if (status === 200 || status === 404)
    throw invalidConfig(
      'The HBase REST gateway is too old: it does not accept row keys in Base64 (HBASE-28174). Use HBase 2.6.1 or later.',
    )
}
