import { keyValue } from '@unikv/core'
import { swift } from '@unikv/swift'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'
import { liveIn, recordOf } from './records.ts'

/** Plain fetch with a token: Swift has no driver. */
export const overSwift: Entrants = {
  server: 'swift',
  unikv: async (url) =>
    ofKeyValue(keyValue(swift({ auth: { v1: accountOf(url) }, container: 'bench', prepare: true }))),
  native: nativeSwift,
  keys: 200,
}

async function nativeSwift(url: string): Promise<Client> {
  const { url: signIn, user, key } = accountOf(url)
  const signedIn = await fetch(signIn, { headers: { 'x-auth-user': user, 'x-auth-key': key } })
  const account = signedIn.headers.get('x-storage-url') as string
  const token = signedIn.headers.get('x-auth-token') as string
  const ask = async (method: string, path: string, body?: Buffer): Promise<Buffer> => {
    const headers = { 'x-auth-token': token, 'content-type': 'application/octet-stream' }
    const answer = await fetch(`${account}/native${path}`, { method, headers, body: body ?? null })
    return Buffer.from(await answer.arrayBuffer())
  }
  await ask('PUT', '')
  const insert = (name: string, value: Buffer) => ask('PUT', `/${encodeURIComponent(name)}`, recordOf(value))
  const read = async (name: string) => liveIn(await ask('GET', `/${encodeURIComponent(name)}`))
  return {
    insert,
    read,
    delete: (name: string) => ask('DELETE', `/${encodeURIComponent(name)}`),
    readMany: (names: readonly string[]) => Promise.all(names.map(read)),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      Promise.all(entries.map(([name, value]) => insert(name, value))),
    close: async () => undefined,
  }
}

function accountOf(address: string): { readonly url: string; readonly user: string; readonly key: string } {
  const { origin, pathname, username, password } = new URL(address)
  return {
    url: origin + pathname,
    user: decodeURIComponent(username),
    key: decodeURIComponent(password),
  }
}
