import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { runCommand } from '../src/run/run-command.ts'

/** A server, and a shell command whose inner process stays connected to it until it is ended. */
async function visited(before = ''): Promise<{ readonly server: Server; readonly command: string }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    server,
    command: `"${process.execPath}" -e "${before}require('net').connect(${port},'127.0.0.1')"; true`,
  }
}

test('a command that is given up ends with the processes that it waits for', async () => {
  const { server, command } = await visited()
  const abort = new AbortController()
  const running = runCommand(command, { signal: abort.signal })
  const [socket] = (await once(server, 'connection')) as [Socket]
  socket.on('error', () => {}).resume()
  abort.abort()
  await once(socket, 'close')
  expect((await running).problem).toMatch(/^was ended by SIGTERM/)
  server.close()
})

test('a command that ignores the request to end is killed', async () => {
  const { server, command } = await visited("process.on('SIGTERM', () => {});")
  const abort = new AbortController()
  const running = runCommand(`trap '' TERM; ${command}`, { signal: abort.signal })
  const [socket] = (await once(server, 'connection')) as [Socket]
  socket.on('error', () => {}).resume()
  abort.abort()
  expect((await running).problem).toMatch(/^was ended by SIGKILL/)
  server.close()
})

test('a command of a signal that is aborted already does not go on', async () => {
  const { problem } = await runCommand(`"${process.execPath}" -e "setInterval(() => {}, 1000)"`, {
    signal: AbortSignal.abort(),
  })
  expect(problem).toMatch(/^was ended by SIGTERM/)
})

test('input, output and exit code', async () => {
  expect(await runCommand('cat; echo more >&2', { input: { a: 1 } })).toMatchObject({
    problem: undefined,
    output: expect.stringContaining('{"a":1}'),
    printed: '{"a":1}',
    complaint: 'more',
  })
  expect((await runCommand('exit 3')).problem).toBe('failed with exit code 3')
  expect((await runCommand('no-such-command-27')).problem).toBe('failed with exit code 127')
})
