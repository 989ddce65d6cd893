import type { NativePlace } from '../native/native-client.ts'
import { ofProject } from './of-project.ts'
import type { PeerClient } from './peer-store.ts'

/** The methods of unstorage in use. */
interface Storage {
  setItem(key: string, value: string): Promise<unknown>
  getItem(key: string): Promise<unknown>
  removeItem(key: string): Promise<unknown>
  clear(): Promise<unknown>
  dispose(): Promise<unknown>
}

/** Under a base of its own. */
export async function unstorageRedis(url: string, { name }: NativePlace): Promise<PeerClient> {
  const { createStorage } = await ofProject<{ createStorage(this: void, options: object): Storage }>(
    'unstorage',
  )
  const { default: driver } = await ofProject<{ default: (options: object) => object }>(
    'unstorage/drivers/redis',
  )
  const storage = createStorage({ driver: driver({ url: url.replace(/^valkey:/, 'redis:'), base: name }) })
  const set = (key: string, value: string): Promise<unknown> => storage.setItem(key, value)
  return {
    client: {
      insert: set,
      update: set,
      read: (key) => storage.getItem(key),
      delete: (key) => storage.removeItem(key),
      remove: () => storage.clear(),
    },
    close: () => storage.dispose(),
  }
}
