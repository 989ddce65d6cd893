import type {
  DescribeTableCommandOutput,
  DescribeTimeToLiveCommandOutput,
  TableDescription,
} from '@aws-sdk/client-dynamodb'
import { type CallOptions, isStoreError, StoreError } from '@unikv/core'
import { invalidConfig } from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import { given } from './client/answers.ts'
import type { Requests } from './client/requests.ts'

const pollMs = 500

/**
 * Look at the table, and make it if that was asked for.
 *
 * @throws {StoreError} `NOT_PREPARED`, `INVALID_CONFIG` if it has another key, `UNAVAILABLE` while it is being made
 */
export async function openTable(requests: Requests, prepare: boolean, call: CallOptions): Promise<void> {
  let described = await describe(requests, call)
  if (described === undefined && !prepare) throw missing(requests.table)
  if (described === undefined) await create(requests, call)
  while (prepare && described?.TableStatus !== 'ACTIVE' && described?.TableStatus !== 'UPDATING') {
    described = await describe(requests, call)
    if (described?.TableStatus !== 'ACTIVE') await pause(pollMs)
  }
  check(requests.table, described)
  if (prepare) await removeExpired(requests, call)
}

function check(table: string, described: TableDescription | undefined): void {
  const { KeySchema = [], AttributeDefinitions = [], TableStatus } = described ?? {}
  const [key] = KeySchema
  const type = AttributeDefinitions.find(({ AttributeName }) => AttributeName === 'k')?.AttributeType
  if (KeySchema.length !== 1 || key?.AttributeName !== 'k' || type !== 'B')
    throw invalidConfig(
      `The table ${table} was not created by unikv: its key must be one binary attribute, k. Name another table.`,
    )
  if (TableStatus === 'ACTIVE' || TableStatus === 'UPDATING') return
  throw new StoreError('UNAVAILABLE', `The table ${table} is not ready: it is ${TableStatus}.`)
}

/** The description of the table; `undefined` if there is none. */
export async function describe(requests: Requests, call: CallOptions): Promise<TableDescription | undefined> {
  const { driver, table } = requests
  try {
    const command = new driver.DescribeTableCommand({ TableName: table })
    const { Table } = await requests.send<DescribeTableCommandOutput>(call, false, command)
    return given(Table, false)
  } catch (error) {
    if (isStoreError(error) && error.code === 'NOT_PREPARED') return undefined
    throw error
  }
}

async function create(requests: Requests, call: CallOptions): Promise<void> {
  const { driver, table } = requests
  const command = new driver.CreateTableCommand({
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'k', AttributeType: 'B' }],
    KeySchema: [{ AttributeName: 'k', KeyType: 'HASH' }],
  })
  await requests.send(call, true, command).catch((error: unknown) => {
    // Somebody else made it meanwhile.
    if (!isStoreError(error) || (error.cause as Error | undefined)?.name !== 'ResourceInUseException')
      throw error
  })
}

/** Have DynamoDB remove what has expired, some hours after its time. */
async function removeExpired(requests: Requests, call: CallOptions): Promise<void> {
  const { driver, table } = requests
  if (await removesExpired(requests, call)) return
  const command = new driver.UpdateTimeToLiveCommand({
    TableName: table,
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
  })
  await requests.send(call, true, command).catch(async (error: unknown) => {
    // Somebody else told it meanwhile.
    if (!(await removesExpired(requests, call))) throw error
  })
}

async function removesExpired(requests: Requests, call: CallOptions): Promise<boolean> {
  const { driver, table } = requests
  const command = new driver.DescribeTimeToLiveCommand({ TableName: table })
  const told = await requests.send<DescribeTimeToLiveCommandOutput>(call, false, command)
  return told.TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL') === true
}

/** The error for a table that is not there. */
export function missing(table: string): StoreError {
  const message = `There is no table ${table} in this region. Call prepareDynamodb with these options once, or set prepare: true.`
  return new StoreError('NOT_PREPARED', message)
}
