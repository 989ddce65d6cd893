import { expect, test } from 'vitest'
import { firstReply } from '../src/faults/first-reply.ts'
import { type OwnServer, ownServer } from '../src/own-server.ts'
import { describeWithOwn } from '../src/vitest.ts'

async function ask(server: OwnServer, command: string): Promise<string> {
  const reply = await firstReply(Number(new URL(server.url).port), `${command}\r\n`)
  return reply.toString()
}

describeWithOwn('redis', () => {
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
})
