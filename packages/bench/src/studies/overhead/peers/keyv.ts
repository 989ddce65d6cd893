import type { NativePlace } from '../native/native-client.ts'
import { ofProject } from './of-project.ts'
import type { PeerClient } from './peer-store.ts'

/** The methods of Keyv in use. */
interface Keyv {
  set(key: string, value: string): Promise<unknown>
  get(key: string): Promise<unknown>
  delete(key: string): Promise<unknown>
  clear(): Promise<unknown>
  disconnect(): Promise<unknown>
  on(event: 'error', listener: () => void): void
}

interface KeyvModule {
  readonly Keyv: new (options: object) => Keyv
}

/** Under a namespace of its own. */
export async function keyvRedis(url: string, { name }: Pick<NativePlace, 'name'>): Promise<PeerClient> {
  const { Keyv } = await ofProject<KeyvModule>('keyv')
  const adapter = await ofProject<{ readonly KeyvRedis: undefined; readonly default: Constructor }>(
    '@keyv/redis',
  )
  const KeyvRedis = adapter.KeyvRedis ?? adapter.default
  const store = new KeyvRedis(url.replace(/^valkey:/, 'redis:'))
  const keyv = new Keyv({ store, namespace: name })
  return clientOf(keyv, () => keyv.clear())
}

/** In a table of its own. */
export async function keyvPostgres(url: string, { name }: Pick<NativePlace, 'name'>): Promise<PeerClient> {
  const { Keyv } = await ofProject<KeyvModule>('keyv')
  const { KeyvPostgres } = await ofProject<{ readonly KeyvPostgres: Constructor }>('@keyv/postgres')
  const store = new KeyvPostgres({ uri: url, table: name }) as { query(sql: string): Promise<unknown> }
  return clientOf(new Keyv({ store }), () => store.query(`DROP TABLE IF EXISTS ${name}`))
}

type Constructor = new (options: unknown) => object

function clientOf(keyv: Keyv, remove: () => Promise<unknown>): PeerClient {
  // A call that fails rejects besides.
  keyv.on('error', () => {})
  const set = (key: string, value: string): Promise<unknown> => keyv.set(key, value)
  return {
    client: {
      insert: set,
      update: set,
      read: (key) => keyv.get(key),
      delete: (key) => keyv.delete(key),
      remove,
    },
    close: () => keyv.disconnect(),
  }
}
