"""Passages come out."""
