import { tone } from "#audio/testing/signals";
import type { RoomGuest } from "./room-guest.js";
import type { PhoneCall } from "./telephone/phone-call.js";
import { hasTone } from "./tones.js";

const TIMES = 20;

/**
 * Both ends of a call say a tone of their own, until each has received the other's: a machine that does other work may
 * tear one. Throws where that takes many times.
 */
export async function exchangeTones(guest: RoomGuest, phone: PhoneCall): Promise<void> {
  const [ofGuest, ofPhone] = [tone(440, 0.7, 16_000), tone(1000, 0.7, 8000)];
  for (let times = 0; times < TIMES; times++) {
    await Promise.all([guest.speak(ofGuest), phone.play(ofPhone)]);
    if (hasTone(phone.recording(), 440, 8000) && guest.hasReceived(1000)) return;
  }
  throw new Error(`no tone came through both ways in ${TIMES} tries`);
}

/** The same of two telephones that are connected with each other. */
export async function exchangePhoneTones(one: PhoneCall, other: PhoneCall): Promise<void> {
  const [ofOne, ofOther] = [tone(440, 0.7, 8000), tone(1000, 0.7, 8000)];
  for (let times = 0; times < TIMES; times++) {
    await Promise.all([one.play(ofOne), other.play(ofOther)]);
    if (hasTone(other.recording(), 440, 8000) && hasTone(one.recording(), 1000, 8000)) return;
  }
  throw new Error(`no tone came through both ways in ${TIMES} tries`);
}
