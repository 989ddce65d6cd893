import { connect, type Socket } from 'node:net'
import type { Question } from './line-server.ts'
import { fromLine, LineReader, toLine } from './lines.ts'

interface Waiting {
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

/** One connection. Its answers are told apart by their order alone. */
export class Line {
  readonly socket: Socket
  /** Who waits for the next answers. */
  readonly waiting: Waiting[] = []
  /** Whether nothing can be asked any more. */
  isOver = false

  private constructor(socket: Socket) {
    this.socket = socket
    const reader = new LineReader((line) => this.waiting.shift()?.resolve(fromLine(line)))
    socket.on('data', (chunk) => reader.push(chunk))
    socket.on('error', (error) => this.#end(error))
    socket.on('end', () => this.destroy())
    socket.on('close', () => this.#end(new Error('the connection was closed')))
  }

  static open(url: string): Promise<Line> {
    const { hostname, port } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new Line(socket))
      })
    })
  }

  ask(question: Question): Promise<unknown> {
    if (this.isOver) return Promise.reject(new Error('the connection is closed'))
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject })
      this.socket.write(toLine(question))
    })
  }

  destroy(): void {
    this.socket.destroy()
    this.#end(new Error('the connection was closed'))
  }

  #end(error: Error): void {
    this.isOver = true
    for (const { reject } of this.waiting.splice(0)) reject(error)
  }
}
