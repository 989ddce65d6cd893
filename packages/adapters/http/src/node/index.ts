// Servers for Node.js, and mounts for Express, Fastify and similar servers.

export { type FastifyScope, fastifyPlugin } from './fastify.ts'
export { type Listening, type ListenOptions, listen } from './listen.ts'
export { type ListenerOptions, type NodeListener, nodeListener } from './listener.ts'
