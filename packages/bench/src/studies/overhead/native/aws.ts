import { pathToFileURL } from 'node:url'
import { inParallel, requireFrom, requirePackage } from '@unikv/core/adapter'
import { pause } from '@unikv/core/platform'
import { type Client, lanes, type NativePlace } from './native-client.ts'

/** Sends a command of the AWS SDK, by its name. */
type Send = <T>(command: string, input: object) => Promise<T>

/** The commands are those of the package that the adapter loads. */
export function sending(native: unknown, adapter: string, driver: string): Send {
  const place = ['@unikv/stores', adapter].reduce(
    (from, name) => pathToFileURL(requireFrom(from).resolve(name)).href,
    import.meta.url,
  )
  const commands = requirePackage<Readonly<Record<string, new (input: object) => object>>>(driver, place)
  const client = native as { send<T>(command: object): Promise<T> }
  return (command, input) =>
    client.send(new (commands[`${command}Command`] as (typeof commands)[string])(input))
}

const pollMs = 200

/** A table of keys and values; reads are consistent, as those of unikv are. */
export async function dynamodb(native: unknown, { name: TableName }: NativePlace): Promise<Client> {
  const send = sending(native, '@unikv/dynamodb', '@aws-sdk/client-dynamodb')
  await makeTable(send, TableName)
  const keyOf = (key: string): object => ({ k: { S: key } })
  const put = (key: string, value: Uint8Array): Promise<unknown> =>
    send('PutItem', { TableName, Item: { ...keyOf(key), value: { B: value } } })
  return {
    insert: put,
    update: put,
    read: (key) => send('GetItem', { TableName, Key: keyOf(key), ConsistentRead: true }),
    delete: (key) => send('DeleteItem', { TableName, Key: keyOf(key) }),
    remove: () => send('DeleteTable', { TableName }),
  }
}

async function makeTable(send: Send, TableName: string): Promise<void> {
  const table = {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'k', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'k', KeyType: 'HASH' }],
  }
  await send('CreateTable', table).catch((error: Error) => {
    // A process that ended has made it.
    if (error.name !== 'ResourceInUseException') throw error
  })
  const isReady = async (): Promise<boolean> => {
    const { Table } = await send<{ Table?: { TableStatus?: string } }>('DescribeTable', { TableName })
    return Table?.TableStatus === 'ACTIVE'
  }
  while (!(await isReady())) await pause(pollMs)
}

/** Objects under a prefix of the same bucket. */
export async function s3(native: unknown, { name, database: Bucket }: NativePlace): Promise<Client> {
  const send = sending(native, '@unikv/s3', '@aws-sdk/client-s3')
  const place = (key: string): object => ({ Bucket, Key: `${name}/${key}` })
  const put = (key: string, value: Uint8Array): Promise<unknown> =>
    send('PutObject', { ...place(key), Body: value })
  return {
    insert: put,
    update: put,
    async read(key) {
      const { Body } = await send<{ Body: { transformToByteArray(): Promise<Uint8Array> } }>(
        'GetObject',
        place(key),
      )
      return Body.transformToByteArray()
    },
    delete: (key) => send('DeleteObject', place(key)),
    async remove() {
      const listing = { Bucket, Prefix: `${name}/` }
      let ContinuationToken: string | undefined
      do {
        const page = await send<Listing>('ListObjectsV2', { ...listing, ContinuationToken })
        await inParallel(page.Contents ?? [], lanes, ({ Key }) => send('DeleteObject', { Bucket, Key }))
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken !== undefined)
    },
  }
}

interface Listing {
  readonly Contents?: readonly { readonly Key: string }[]
  readonly NextContinuationToken?: string
}
