import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { firstReply } from '../src/faults/first-reply.ts'
import { ownServerObstacle } from '../src/own-server.ts'
import { freePort } from '../src/process/free-port.ts'
import { launch } from '../src/process/launch.ts'
import { release, reserve } from '../src/process/reserve.ts'
import { recipes } from '../src/recipes.ts'
import type { ServerRecipe } from '../src/server.ts'
import { startServer, startServers } from '../src/start-servers.ts'
import { describeWithOwn } from '../src/vitest.ts'

/** Nothing in the environment names a server. */
const environment = {}
const portOf = (url: string): number => Number(new URL(url).port)

describeWithOwn('redis', () => {
  test('startServer gives a server that answers and has its args, and stop ends it', async () => {
    const server = await startServer('redis', { environment, args: ['--maxmemory', '10mb'] })
    const port = portOf(server.url)
    const answer = await firstReply(port, 'CONFIG GET maxmemory\r\n')
    expect(answer.includes('10485760')).toBe(server.source === 'installed')
    await server.stop()
    await server.stop()
    expect(await refuses(port)).toBe(true)
  })

  test('startServers gives the servers that there are and says which are missing and why', async () => {
    await using set = await startServers(['redis', 'mariadb'], {
      environment: { UNIKV_TEST_MARIADB_URL: 'mysql://db.example/x' },
    })
    expect(set.servers.map(({ kind, source }) => [kind, source])).toContainEqual(['mariadb', 'environment'])
    expect(set.missing).toEqual([])
  })

  test('a failed start says what the program printed, and leaves no files', async () => {
    const folders: string[] = []
    const broken: ServerRecipe = {
      ...recipes.redis,
      launch: (scope) =>
        recipes.redis.launch({
          ...scope,
          args: ['--no-such-setting', 'x'],
          directory: async () => {
            folders.push(await scope.directory())
            return folders.at(-1) ?? ''
          },
        }),
    }
    await expect(launch(broken)).rejects.toThrow(
      /ended with exit code 1 before it answered:[^]*no-such-setting/,
    )
    expect(folders.map((folder) => existsSync(folder))).toEqual([false])
  })

  test('a start on a port that was taken meanwhile is tried again on another', async () => {
    await using taken = await startServer('redis', { environment })
    let attempts = 0
    const unlucky: ServerRecipe = {
      ...recipes.redis,
      launch: (scope) => {
        attempts += 1
        const args = attempts === 1 ? ['--port', `${portOf(taken.url)}`, ...scope.args] : scope.args
        return recipes.redis.launch({ ...scope, args })
      },
    }
    const { nodes, stop } = await launch(unlucky)
    await stop()
    expect([attempts, nodes.length]).toEqual([2, 1])
  })
})

test('freePort gives a port on which one can listen', async () => {
  const port = await freePort([10_000])
  expect(port).toBeGreaterThanOrEqual(10_000)
  expect(port + 10_000).toBeLessThan(32_768)
  expect(await refuses(port)).toBe(true)
})

test('freePort gives no port twice while its process lives', async () => {
  const ports = await Promise.all(Array.from({ length: 500 }, () => freePort()))
  expect(new Set(ports).size).toBe(ports.length)
})

describe('a reserved name', () => {
  test('is that of one of those who ask at once, and of none after it', async () => {
    const folder = await temporaryFolder()
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserve(folder, '10000')))
    expect(answers.filter(Boolean)).toHaveLength(1)
    expect(await reserve(folder, '10000')).toBe(false)
    await release(folder, '10000')
    expect(await reserve(folder, '10000')).toBe(true)
  })

  test('is free at once when its process has ended, for one of those who ask', async () => {
    const folder = await temporaryFolder()
    const { pid } = spawnSync(process.execPath, ['--version'])
    for (const [name, owner] of [
      ['10000', `${pid} 123`],
      // The number of a process that lives, but began at another time; and what earlier versions wrote.
      ['10001', `${process.pid} 1`],
      ['10002', String(pid)],
    ] as const) {
      await writeFile(join(folder, name), owner)
      const answers = await Promise.all(Array.from({ length: 20 }, () => reserve(folder, name)))
      expect(answers.filter(Boolean), name).toHaveLength(1)
    }
    expect((await readdir(folder)).sort()).toEqual(['10000', '10001', '10002'])
  })
})

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-reserve-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

function refuses(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', () => resolve(true))
  })
}

test('a kind that there is not is told with those that there are', async () => {
  for (const kind of ['rediss', 'toString', undefined]) {
    const error = await startServer(kind as never).catch((found: unknown) => found)
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect((error as Error).message).toMatch(/^There is no test server '\w+'; the kinds are redis, /)
    expect(() => ownServerObstacle(kind as never)).toThrow('There is no test server')
  }
  await expect(startServer('postgre' as never)).rejects.toThrow("Did you mean 'postgres'?")
})
