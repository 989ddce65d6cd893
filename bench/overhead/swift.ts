import { keyValue } from '@unikv/core'
import { swift } from '@unikv/swift'
import { startServer } from '@unikv/test-kit'
import { type Entrants, ofKeyValue } from '../measure/overhead.ts'
import { liveIn, recordOf } from './records.ts'

/** Plain fetch with a token: Swift has no driver. */
export async function overSwift(): Promise<Entrants> {
  const server = await startServer('swift')
  const { origin, pathname, username, password } = new URL(server.url)
  const [user, key] = [decodeURIComponent(username), decodeURIComponent(password)]
  const signedIn = await fetch(origin + pathname, { headers: { 'x-auth-user': user, 'x-auth-key': key } })
  const account = signedIn.headers.get('x-storage-url') as string
  const token = signedIn.headers.get('x-auth-token') as string
  const ask = async (method: string, path: string, body?: Buffer): Promise<Buffer> => {
    const headers = { 'x-auth-token': token, 'content-type': 'application/octet-stream' }
    const answer = await fetch(`${account}/native${path}`, { method, headers, body: body ?? null })
    return Buffer.from(await answer.arrayBuffer())
  }
  await ask('PUT', '')
  const native = {
    insert: (name: string, value: Buffer) => ask('PUT', `/${encodeURIComponent(name)}`, recordOf(value)),
    read: async (name: string) => liveIn(await ask('GET', `/${encodeURIComponent(name)}`)),
    delete: (name: string) => ask('DELETE', `/${encodeURIComponent(name)}`),
    readMany: (names: readonly string[]) => Promise.all(names.map((name) => native.read(name))),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      Promise.all(entries.map(([name, value]) => native.insert(name, value))),
  }
  const auth = { v1: { url: origin + pathname, user, key } }
  const kv = keyValue(swift({ auth, container: 'bench', prepare: true }))
  const close = async (): Promise<void> => {
    await kv.close()
    await server.stop()
  }
  return { native, unikv: ofKeyValue(kv), keys: 200, close }
}
