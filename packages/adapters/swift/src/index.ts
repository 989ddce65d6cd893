export type { SwiftCapabilities } from './capabilities.ts'
export type { SwiftNative } from './client/native.ts'
export type { SwiftAuth, SwiftDurability, SwiftOptions, SwiftV1Auth, SwiftV3Auth } from './options.ts'
export { prepareSwift, type SwiftStore, swift } from './swift.ts'
