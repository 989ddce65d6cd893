import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { keyValue, StoreError } from '@unikv/core'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type PostgresOptions, type PostgresTls, postgres } from '../src/index.ts'

const value = Buffer.from('value')
const secret = 'p@ss word:/?#'

describeWithOwn('postgres', () => {
  let server: OwnServer
  let directory: string
  const opened: { close(): Promise<void> }[] = []

  const open = (options: PostgresOptions) => {
    const store = postgres({ prepare: true, ...options })
    opened.push(store)
    return keyValue(store)
  }

  /** The address for `app`, who has a password, by the host that the certificate names. */
  const urlOf = (password: string, sslmode = 'disable', host = 'localhost'): URL => {
    const url = new URL(server.url)
    url.host = `${host}:${url.port}`
    url.username = 'app'
    url.password = encodeURIComponent(password)
    url.searchParams.set('sslmode', sslmode)
    return url
  }

  beforeAll(async () => {
    directory = serverFiles()
    const files = { hba_file: 'hba', ssl_cert_file: 'certificate', ssl_key_file: 'key' }
    const settings = Object.entries(files).map(([setting, name]) => `${setting}=${join(directory, name)}`)
    server = await ownServer('postgres', {
      args: ['ssl=on', ...settings].flatMap((setting) => ['-c', setting]),
    })
    const admin = new pg.Client({ connectionString: server.url })
    await admin.connect()
    await admin.query(`CREATE USER app PASSWORD '${secret}'; GRANT CREATE ON SCHEMA public TO app`)
    await admin.end()
  })
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
  })
  afterAll(async () => {
    await server.stop()
    rmSync(directory, { recursive: true })
  })

  test('a password with every sign in it serves, encoded in the URL', async () => {
    const kv = open({ url: urlOf(secret) })
    await kv.set('key', value)
    expect(await kv.get('key')).toEqual(value)
  })

  test.each([
    ['a wrong password', 'hunter2-s3cret'],
    ['no password', ''],
  ])('%s is ACCESS_DENIED, and neither error nor store tells it', async (_, password) => {
    const kv = open({ url: urlOf(password) })
    for (const work of [() => kv.get('key'), () => kv.set('key', value), () => kv.getMany(['a', 'b'])]) {
      const error = await work().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(StoreError)
      expect((error as StoreError).code).toBe('ACCESS_DENIED')
      expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain('hunter2-s3cret')
    }
    const all = inspect([opened, kv, kv.native], { showHidden: true, depth: 12 })
    expect(all).not.toContain('hunter2-s3cret')
  })

  describe('TLS', () => {
    const certificate = (): PostgresTls => ({ ca: readFileSync(join(directory, 'certificate')) })

    test('with a certificate that is known, for the host of the URL, serves', async () => {
      const kv = open({ url: urlOf(secret), tls: Object.freeze(certificate()) })
      const large = Buffer.alloc(100_000, 'large')
      await kv.set('key', large)
      expect(await kv.getMany(['key', 'absent'])).toEqual([large, undefined])
      const { rows } = await kv.native.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
      expect(rows).toEqual([{ ssl: true }])
    })

    test('with a certificate that is not looked at serves only where that is said', async () => {
      expect(await open({ url: urlOf(secret, 'no-verify') }).get('absent')).toBeUndefined()
    })

    test.each([
      ['that nobody signed', () => ({ url: urlOf(secret, 'require') })],
      ['that nobody signed, fully checked', () => ({ url: urlOf(secret, 'verify-full') })],
      ['for another host', () => ({ url: urlOf(secret, 'disable', '127.0.0.1'), tls: certificate() })],
    ])('with a certificate %s is refused at once, without another try', async (_, options) => {
      const error = await open(options())
        .get('key')
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        code: 'UNAVAILABLE',
        retryable: false,
        message: expect.stringContaining('TLS') as string,
      })
    })
  })
})

/** A folder that the server may read, with its rules of access, its key and a certificate for `localhost`. */
function serverFiles(): string {
  const directory = mkdtempSync(join(tmpdir(), 'unikv-postgres-files-'))
  const [hba, key, certificate] = ['hba', 'key', 'certificate'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(hba, 'host all postgres all trust\nhost all all all scram-sha-256\n')
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ]
  execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  chmodSync(key, 0o600)
  if (process.getuid?.() === 0) {
    const [uid, gid] = ['-u', '-g'].map((which) => Number(execFileSync('id', [which, 'postgres']))) as [
      number,
      number,
    ]
    for (const path of [directory, hba, key, certificate]) chownSync(path, uid, gid)
  }
  return directory
}
