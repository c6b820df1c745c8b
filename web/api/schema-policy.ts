/*
 * zod tries whether it may compile functions, which the content security policy refuses and reports as a violation,
 * although the refusal is caught. It reads this before its first schema is made; importing zod to say so would put it
 * into what a first visit loads.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
