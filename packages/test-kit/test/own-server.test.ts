import { expect, test } from 'vitest'
import { firstReply } from '../src/faults/first-reply.ts'
import { type OwnServer, ownServer } from '../src/own-server.ts'
import { describeWithOwn } from '../src/vitest.ts'

async function ask(server: OwnServer, command: string, node = 0): Promise<string> {
  const reply = await firstReply(Number(new URL(server.urls[node] ?? '').port), `${command}\r\n`)
  return reply.toString()
}

describeWithOwn('redis', () => {
  test('a killed server does not answer until it is restarted on the same port', async () => {
    await using server = await ownServer('redis')
    await server.kill()
    expect(await ask(server, 'PING')).toBe('')
    await server.restart()
    expect(await ask(server, 'PING')).toBe('+PONG\r\n')
  })

  test('restart without a kill starts anew', async () => {
    await using server = await ownServer('redis')
    await ask(server, 'SET a 1')
    await server.restart()
    expect(await ask(server, 'GET a')).toBe('$-1\r\n')
  })

  test('files survive a kill', async () => {
    await using server = await ownServer('redis', {
      args: ['--appendonly', 'yes', '--appendfsync', 'always'],
    })
    await ask(server, 'SET a 1')
    await server.kill()
    await server.restart()
    expect(await ask(server, 'GET a')).toBe('$1\r\n1\r\n')
  })

  test('a paused server answers when it is resumed', async () => {
    await using server = await ownServer('redis')
    server.pause()
    const reply = ask(server, 'PING')
    server.resume()
    expect(await reply).toBe('+PONG\r\n')
  })

  test('a paused server can be stopped', async () => {
    const server = await ownServer('redis')
    server.pause()
    await server.stop()
    await server.stop()
    expect(await ask(server, 'PING')).toBe('')
  })

  test('args reach the server', async () => {
    await using server = await ownServer('redis', { args: ['--maxmemory', '10mb'] })
    expect(await ask(server, 'CONFIG GET maxmemory')).toContain('10485760')
  })
})

describeWithOwn('redis-cluster', () => {
  test('one node can be killed and restarted', async () => {
    await using server = await ownServer('redis-cluster')
    await server.kill(1)
    expect([await ask(server, 'PING', 0), await ask(server, 'PING', 1)]).toEqual(['+PONG\r\n', ''])
    await server.restart(1)
    expect(await ask(server, 'PING', 1)).toBe('+PONG\r\n')
  })
})
